-- Models, pools and settings of batches are read by requests and workers, and written by operators.
REVOKE INSERT, UPDATE, DELETE ON
    inference_batchsetting, inference_modelpool, inference_modelversion, inference_pipelinestep, inference_servedmodel
FROM maas_app;
REVOKE ALL ON inference_sessionprofile FROM maas_app;
