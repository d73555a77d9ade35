-- readable by: 2

-- Of a row whose request an owner can decide: where the person wrote, whether owners were asked about this one (`each`), about several at once
-- (`together`) or not at all, the event after which the person was told once more, and who decided when. `said` is a call of
-- `record_events`: their first words, which are answered once somebody lets them in. Rows of earlier releases have none of it.
alter table pairing
  add column conversation jsonb,
  add column asked text,
  add column told_by text collate "C",
  add column decided_at timestamptz,
  add column decided_by jsonb,
  add column said jsonb;
