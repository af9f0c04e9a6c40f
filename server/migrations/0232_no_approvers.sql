-- The role APPROVER allowed nothing that another role does not allow. Who had no other role becomes a READER.
update users
set roles = case when roles = array['APPROVER'] then array['READER'] else array_remove(roles, 'APPROVER') end,
  version = version + 1
where 'APPROVER' = any(roles);
