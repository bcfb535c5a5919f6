-- Rights for direct SQL: a role sees the rows of its projects in these tables, and nothing of any other table. The owner
-- of the schema, which recollect connects as, sees everything. Roles only read: a change has to be logged and indexed.
CREATE TABLE role_projects (
    role      NAME NOT NULL,
    namespace TEXT NOT NULL,
    PRIMARY KEY (role, namespace)
);
ALTER TABLE role_projects ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_members ON role_projects FOR SELECT
    USING (CASE WHEN to_regrole(quote_ident(role)) IS NULL THEN FALSE ELSE pg_has_role(role, 'MEMBER') END);

ALTER TABLE memories ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_projects ON memories FOR SELECT USING (namespace IN (SELECT p.namespace FROM role_projects p));
ALTER TABLE graph_nodes ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_projects ON graph_nodes FOR SELECT USING (namespace IN (SELECT p.namespace FROM role_projects p));
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_projects ON sessions FOR SELECT USING (namespace IN (SELECT p.namespace FROM role_projects p));
ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_projects ON workspaces FOR SELECT USING (id IN (SELECT p.namespace FROM role_projects p));
-- Rows that belong to others are visible with them.
ALTER TABLE graph_edges ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_projects ON graph_edges FOR SELECT
    USING (EXISTS (SELECT 1 FROM graph_nodes n WHERE n.id = src) AND EXISTS (SELECT 1 FROM graph_nodes n WHERE n.id = dst));
ALTER TABLE memory_embeddings ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_projects ON memory_embeddings FOR SELECT
    USING (EXISTS (SELECT 1 FROM memories m WHERE m.id = memory_id));
ALTER TABLE anchors ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_projects ON anchors FOR SELECT USING (EXISTS (SELECT 1 FROM memories m WHERE m.id = memory_id));

CREATE FUNCTION grant_project(member NAME, project VARCHAR) RETURNS VOID LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema, member);
    EXECUTE format('GRANT SELECT ON role_projects, memories, graph_nodes, sessions, workspaces, graph_edges, '
        'memory_embeddings, anchors TO %I', member);
    INSERT INTO role_projects (role, namespace) VALUES (member, project) ON CONFLICT DO NOTHING;
END $$;
CREATE FUNCTION revoke_project(member NAME, project VARCHAR) RETURNS VOID LANGUAGE sql SET search_path FROM CURRENT AS $$
    DELETE FROM role_projects WHERE role = member AND namespace = project
$$;
