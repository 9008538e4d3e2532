-- What the product expects of a PostgreSQL server: one owner that is no superuser, and three roles that its connections act as.
-- The postgres image runs this once, as the superuser, in an empty server. MAAS_DATABASE_PASSWORD comes from its environment.
\set ON_ERROR_STOP on
\getenv password MAAS_DATABASE_PASSWORD
CREATE ROLE maas LOGIN NOINHERIT PASSWORD :'password';
CREATE ROLE maas_app NOLOGIN NOINHERIT;
CREATE ROLE maas_accounts NOLOGIN INHERIT;
CREATE ROLE maas_operator NOLOGIN NOINHERIT;
-- Signing in may do what requests may, and more.
GRANT maas_app TO maas_accounts;
-- PostgreSQL 16 or later. On 15: GRANT maas_app, maas_accounts, maas_operator TO maas;
GRANT maas_app TO maas WITH INHERIT FALSE, SET TRUE;
GRANT maas_accounts TO maas WITH INHERIT FALSE, SET TRUE;
GRANT maas_operator TO maas WITH INHERIT FALSE, SET TRUE;
CREATE DATABASE maas OWNER maas;
\connect maas
CREATE EXTENSION vector;
