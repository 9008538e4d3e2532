-- The table of page embeddings, if the database has pgvector. A database that gets pgvector later has the table after
-- its next `manage.py migrate`. Half floats came with pgvector 0.7; a table with rows twice as wide is not worth the
-- support of an older version.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN
        BEGIN
            CREATE EXTENSION IF NOT EXISTS vector;
        EXCEPTION WHEN OTHERS THEN
            NULL; -- the owner may not; a superuser has to, or search by meaning stays unavailable
        END;
    END IF;
    IF to_regtype('halfvec') IS NULL OR to_regclass('jobs_pageembedding') IS NOT NULL THEN
        RETURN;
    END IF;
    CREATE TABLE jobs_pageembedding (
        page_id uuid PRIMARY KEY,
        tenant_id uuid NOT NULL,
        job_id uuid NOT NULL,
        number int NOT NULL,
        digest varchar(64) NOT NULL,
        embedding halfvec NOT NULL,
        CONSTRAINT jobs_pageembedding_job_id_same_tenant FOREIGN KEY (tenant_id, job_id)
            REFERENCES jobs_job (tenant_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
    );
    CREATE INDEX jobs_pageembedding_newest ON jobs_pageembedding (tenant_id, digest, page_id);
    CREATE INDEX jobs_pageembedding_of_job ON jobs_pageembedding (tenant_id, job_id);
END $$;
