-- A confirmation by a provider is a sign-in: what has begun knows no session. Who is linked to a person at a provider is
-- told by mail.
alter table begun_sign_ins drop column session_id;
alter table account_mails drop constraint account_mails_kind_check;
alter table account_mails add constraint account_mails_kind_check
  check (kind in ('INVITATION', 'FACTORS_REMOVED', 'IDENTITY_LINKED'));
