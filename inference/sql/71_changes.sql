-- A model: its state, its prices, the lifetime of its cached results, its versions and which of them is current. The
-- change names the account whose model it is, or nobody for a model of the installation, which concerns all.
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON inference_servedmodel FOR EACH ROW EXECUTE FUNCTION maas_note_change('model', 'tenant_id');
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON inference_modelversion FOR EACH ROW EXECUTE FUNCTION maas_note_change('model', 'tenant_id');
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON inference_modelalias FOR EACH ROW EXECUTE FUNCTION maas_note_change('model', 'tenant_id');
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON inference_modelshare FOR EACH ROW EXECUTE FUNCTION maas_note_change('model', 'account_id');
-- A tier: the pools that serve it, their order and their classes.
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON inference_tierpool FOR EACH ROW EXECUTE FUNCTION maas_note_change('tier', 'tier_id');
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON inference_modelpool FOR EACH ROW EXECUTE FUNCTION maas_note_change('tier', '');
