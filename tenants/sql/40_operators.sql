-- Only an operator creates an operator.
CREATE OR REPLACE FUNCTION maas_refuse_new_operator() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_has_role(current_user, 'maas_operator', 'MEMBER') THEN
        RAISE EXCEPTION '% may not make an operator', current_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER refuse_new_operator BEFORE INSERT ON tenants_user FOR EACH ROW
    WHEN (NEW.is_staff OR NEW.is_superuser)
    EXECUTE FUNCTION maas_refuse_new_operator();
