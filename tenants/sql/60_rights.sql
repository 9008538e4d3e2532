-- The complete rights of each role on each table, except those of inference, which follow in its own folder. Requests
-- and workers act as maas_app, sign-in as maas_accounts, the operator's pages as maas_operator.
GRANT USAGE ON SCHEMA public TO maas_app, maas_operator;
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM maas_app, maas_accounts, maas_operator;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO maas_app, maas_operator;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO maas_app, maas_operator;
ALTER DEFAULT PRIVILEGES IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO maas_app, maas_operator;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO maas_app, maas_operator;
REVOKE INSERT, UPDATE, DELETE ON django_migrations, maas_applied_sql FROM maas_app, maas_operator;

-- Only operators write groups, permissions and the admin's log.
REVOKE ALL ON
    auth_group, auth_group_permissions, auth_permission, django_admin_log, django_content_type,
    socialaccount_socialapp, tenants_user_groups, tenants_user_user_permissions
FROM maas_app;
REVOKE UPDATE ON django_admin_log FROM maas_operator;

-- Credentials and sessions belong to sign-in. Requests read the one session of a cookie through a function.
REVOKE ALL ON
    account_emailaddress, django_session, mfa_authenticator, socialaccount_socialaccount, usersessions_usersession
FROM maas_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON
    account_emailaddress, django_session, mfa_authenticator, socialaccount_socialaccount, usersessions_usersession
TO maas_accounts;
-- These two are never filled. Django deletes from them together with the rows they refer to.
REVOKE ALL ON account_emailconfirmation, socialaccount_socialtoken FROM maas_app;
GRANT SELECT, DELETE ON account_emailconfirmation, socialaccount_socialtoken TO maas_accounts;
REVOKE INSERT, UPDATE ON account_emailconfirmation FROM maas_operator;
-- Requests read the names of people. Django names every column when it creates a person, so a trigger refuses
-- operators.
REVOKE INSERT, UPDATE, DELETE ON tenants_user FROM maas_app;
GRANT INSERT, UPDATE (password, last_login, email, name) ON tenants_user TO maas_accounts;

-- What an operator decides is only read by requests.
REVOKE INSERT, UPDATE, DELETE ON
    tenants_budget, tenants_chosenlimits, tenants_closedmonth, tenants_plan, tenants_planincluded, tenants_planprice,
    tenants_providercustomer, tenants_seller, tenants_subscription, tenants_tenantprice, tenants_tier, jobs_storedthings
FROM maas_app;
GRANT UPDATE (month, used_micros, held_micros) ON tenants_budget TO maas_app;

-- What cells give to each other is the operator's. What an export has changed stays in its log.
REVOKE ALL ON
    tenants_cellchange, tenants_cellexport, tenants_directoryentry, tenants_peercell, tenants_replicatedpart
FROM maas_app;
REVOKE UPDATE, DELETE ON tenants_cellchange FROM maas_operator;

-- Money: rows are added, and what is billed is changed by nobody. See the triggers in ledger.sql and invoices.sql.
REVOKE UPDATE, DELETE ON
    tenants_auditentry, tenants_includeduse, tenants_ledgerentry, tenants_ledgertransaction
FROM maas_app, maas_operator;
REVOKE UPDATE ON tenants_includedhold FROM maas_app, maas_operator;
REVOKE DELETE ON tenants_includedpool FROM maas_app, maas_operator;
REVOKE UPDATE, DELETE ON tenants_usagerecord FROM maas_app;
REVOKE UPDATE, DELETE ON tenants_wallet FROM maas_app;
REVOKE DELETE ON tenants_wallet FROM maas_operator;
GRANT UPDATE (available_micros, held_micros) ON tenants_wallet TO maas_app;
REVOKE INSERT, UPDATE, DELETE ON tenants_invoice, tenants_invoiceline, tenants_payment, tenants_refund FROM maas_app;
REVOKE DELETE ON tenants_invoice, tenants_invoiceline, tenants_payment, tenants_refund FROM maas_operator;
REVOKE ALL ON tenants_numberseries, tenants_providerevent FROM maas_app;
REVOKE DELETE ON tenants_numberseries FROM maas_operator;
