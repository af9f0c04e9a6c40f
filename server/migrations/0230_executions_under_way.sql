-- What is under way, for the list of stuck ones: few rows, however many ended.
create index executions_under_way on executions (workspace, id) where state in ('PROCESSING', 'CANCELING');
