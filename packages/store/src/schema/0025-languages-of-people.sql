-- readable by: 2

-- The language of a person in BCP 47, as their platform told it last. Null: not known, as in rows of earlier releases.
alter table pairing add column language text;
alter table owner_place add column language text;
