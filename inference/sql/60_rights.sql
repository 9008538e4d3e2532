-- Pools and settings of batches are read by requests and workers, and written by operators. So are the accounts that a
-- model is shared with.
REVOKE INSERT, UPDATE, DELETE ON inference_batchsetting, inference_modelpool, inference_modelshare, inference_tierpool
FROM maas_app;
REVOKE ALL ON inference_sessionprofile, inference_scalingterms, inference_scalingminute FROM maas_app;
-- A tenant writes its own models. It cannot change whom a model belongs to or is shared with, or its price.
REVOKE UPDATE ON inference_servedmodel FROM maas_app;
GRANT UPDATE (
    title, description, state, kind, bounds, current_id, accepts, parameters, cache_ttl_s, deleted_at
) ON inference_servedmodel TO maas_app;
-- What answered at a moment can be looked up later: a move is added, and never changed.
REVOKE UPDATE, DELETE ON inference_aliasmove FROM maas_app;
REVOKE UPDATE ON inference_aliasmove FROM maas_operator;
