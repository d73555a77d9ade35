#!/bin/sh
# Makes the files of this folder's `files` by the programs that people use. Needs LibreOffice (soffice), qpdf, zip, 7za, and Python with
# python-docx, openpyxl, python-pptx, reportlab, nbformat, msoffcrypto-tool and aspose-email-foss. Run it in an empty folder.
set -e
convert() { soffice -env:UserInstallation="file://$PWD/profile" --headless --convert-to "$1" --outdir "$3" "$2" >/dev/null; }
python3 - <<'END'
import datetime
from docx import Document
d = Document()
d.add_heading("Annual plan", 1)
d.add_paragraph("Grüße aus Zürich, 日本語 and 🎈.")
d.add_paragraph("first point", style="List Bullet")
t = d.add_table(rows=2, cols=2)
for cell, text in zip((c for row in t.rows for c in row.cells), ("Month", "Amount", "May", "12")):
    cell.text = text
p = d.add_paragraph()
p.add_run("SECRET-HIDDEN").font.hidden = True
p.add_run("visible end")
d.core_properties.title = "Plan"
d.save("plan.docx")

from openpyxl import Workbook
w = Workbook()
s = w.active
s.title = "Sales"
s.append(["Month", "Amount", "When"])
s.append(["May", 12.5, datetime.date(2026, 5, 3)])
s.append(["June", "=SUM(B2:B2)", datetime.datetime(2026, 6, 1, 14, 30)])
h = w.create_sheet("Notes")
h["A1"], h["XFD3"], h.sheet_state = "hidden note", "far", "hidden"
w.save("sales.xlsx")

from pptx import Presentation
p = Presentation()
s = p.slides.add_slide(p.slide_layouts[1])
s.shapes.title.text, s.placeholders[1].text = "Kick-off", "Goals\nMoney"
s.notes_slide.notes_text_frame.text = "Say hello"
p.slides.add_slide(p.slide_layouts[5]).shapes.title.text = "Second"
p.save("kickoff.pptx")

from reportlab.pdfgen import canvas
c = canvas.Canvas("form.pdf")
c.drawString(72, 720, "Application")
c.acroForm.textfield(name="Applicant", value="Ada Lovelace", x=72, y=680, width=200, height=20)
c.showPage()
c.rect(72, 600, 200, 100, fill=1)
c.showPage()
c.setTitle("Form")
c.save()

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
error = new_output("error", ename="ValueError", evalue="bad", traceback=["\x1b[31mbad"])
code = new_code_cell("print(1+1)", execution_count=1, outputs=[new_output("stream", text="2\n"), error])
n = new_notebook(cells=[new_markdown_cell("# Analysis"), code])
n.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
nbformat.write(n, "analysis.ipynb")

from email.message import EmailMessage
m = EmailMessage()
m["From"], m["To"], m["Subject"] = "Ada <ada@example.org>", "bob@example.org", "Rechnung für Mai"
m["Date"] = "Sun, 03 May 2026 10:00:00 +0200"
m.set_content("The invoice is attached.\nGrüße")
m.add_attachment(b"%PDF-1.4 x", maintype="application", subtype="pdf", filename="invoice.pdf")
open("invoice.eml", "wb").write(bytes(m))

from msoffcrypto.format.ooxml import OOXMLFile
for name, locked in (("plan.docx", "encrypted.docx"), ("sales.xlsx", "encrypted.xlsx")):
    OOXMLFile(open(name, "rb")).encrypt("pw", open(locked, "wb"))
END
for kind in odt doc rtf pdf epub; do convert "$kind" plan.docx .; done
for kind in ods xls; do convert "$kind" sales.xlsx .; done
python3 - <<'END'
import struct
from email import message_from_bytes, policy
from aspose.email_foss.msg import MapiMessage, PropertyId
m = message_from_bytes(open("invoice.eml", "rb").read(), policy=policy.default)
MapiMessage.from_email_message(m).save("invoice.msg")
for name in ("news.msg", "memo.msg"):
    w = MapiMessage.create("Weekly news", "")
    w.set_property(PropertyId.SENDER_NAME, "Ada")
    w.set_property(PropertyId.SENDER_EMAIL_ADDRESS, "ada@example.org")
    w.add_recipient("bob@example.org", display_name="Bob")
    w.add_recipient("cy@example.org", recipient_type=2)
    if name == "news.msg":
        w.body_html = '<p>Grüße from the <b>team</b></p><p style="display:none">SECRET-HIDDEN</p>'
        w.add_attachment("plan.doc", open("plan.doc", "rb").read(), mime_type="application/msword")
    else:
        rtf = rb"{\rtf1\ansi Gr\'fc\'dfe from the memo{\v SECRET-HIDDEN}}"
        head = struct.pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0)
        w.set_property(0x1009, 0x0102, head + rtf)
    w.save(name)
END
convert odp kickoff.pptx .
convert docx plan.docx again && mv again/plan.docx plan-writer.docx
convert xlsx sales.xlsx again && mv again/sales.xlsx sales-calc.xlsx
qpdf --encrypt user owner 256 -- plan.pdf encrypted.pdf
qpdf --encrypt "" owner 256 -- plan.pdf owner-only.pdf
printf 'secret text\n' >secret.txt
zip -q -P pw locked.zip secret.txt
7za a -bso0 -bsp0 box.7z secret.txt
rm -r again profile secret.txt
