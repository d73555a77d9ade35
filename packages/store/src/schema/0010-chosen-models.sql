-- readable by: 2

-- What people have chosen for this conversation: {model, effort}, each as {name, role}, with the role of who has chosen it.
alter table session add column chosen jsonb not null default '{}';
