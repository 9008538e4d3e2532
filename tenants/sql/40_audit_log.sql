-- Entries of the audit log and of the admin's log stay as they were written.
CREATE OR REPLACE FUNCTION maas_keep_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an entry of the audit log is never changed' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE OR REPLACE TRIGGER keep_audit_entries BEFORE UPDATE OR TRUNCATE ON tenants_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION maas_keep_audit_entries();

CREATE OR REPLACE FUNCTION maas_keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entry % of the audit log cannot be deleted', OLD.id USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE OR REPLACE TRIGGER keep_audit_log BEFORE DELETE ON django_admin_log
    FOR EACH ROW EXECUTE FUNCTION maas_keep_audit_log();
