-- Which process of which machine has the lease of the venues, where its system tells processes apart
-- (server/src/venues/lease/holding-process.ts). null otherwise.
alter table venue_lease add column process text;
