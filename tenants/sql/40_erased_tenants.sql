-- A tenant that is being erased takes nothing in. FOR KEY SHARE is the lock that a reference to the tenant takes at the
-- end of its transaction. Taken at the beginning, it makes the erasure (FOR UPDATE) wait for that end, and every later
-- writer see the new state.
CREATE OR REPLACE FUNCTION maas_refuse_erased() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    found text;
BEGIN
    SELECT state INTO found FROM tenants_tenant WHERE id = NEW.tenant_id FOR KEY SHARE;
    IF found IN ('erasing', 'erased') THEN
        RAISE EXCEPTION 'tenant % is %: nothing of it is written any more', NEW.tenant_id, found
            USING ERRCODE = 'MA001';
    END IF;
    RETURN NEW;
END $$;

-- The tables to whose rows all other rows of a tenant refer.
DO $$
DECLARE
    found text;
BEGIN
    FOREACH found IN ARRAY ARRAY[
        'tenants_apikey', 'tenants_invitation', 'tenants_membership', 'tenants_modellimit', 'tenants_providercustomer',
        'jobs_archive', 'jobs_batch', 'jobs_classset', 'jobs_document', 'jobs_heldkey', 'jobs_idempotencykey',
        'jobs_job', 'jobs_ownfield', 'jobs_resumableupload', 'jobs_storedfile', 'jobs_webhookendpoint',
        'jobs_webhooksecret'
    ] LOOP
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER refuse_erased_tenant BEFORE INSERT ON %I FOR EACH ROW '
            'EXECUTE FUNCTION maas_refuse_erased()', found
        );
    END LOOP;
END $$;
