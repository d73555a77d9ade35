-- readable by: 2

-- The home of somebody who is no owner now, or of an account that is not configured: nobody is told there, and it is theirs again with that.
alter table home_conversation add column is_resting boolean not null default false;
