-- A model: its state, its prices, the lifetime of its cached results, its versions and which of them is current.
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON inference_servedmodel FOR EACH ROW EXECUTE FUNCTION maas_note_change('model', 'name');
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON inference_modelversion FOR EACH ROW EXECUTE FUNCTION maas_note_change('model', 'served_model_id');
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON inference_modelalias FOR EACH ROW EXECUTE FUNCTION maas_note_change('model', 'served_model_id');
CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE OR UPDATE
ON inference_modelshare FOR EACH ROW EXECUTE FUNCTION maas_note_change('model', 'served_model_id');
