-- Calls of a token that is limited to projects run as a role that sees and changes rows of these projects, and rows of
-- no project. The setting recollect.projects has their names, divided by U+001F. The owner sees all rows, at no cost.
-- An owner without the right to create roles has no such role: then recollect alone filters.
DO $$ BEGIN
    IF to_regrole('recollect_confined') IS NULL THEN
        CREATE ROLE recollect_confined NOLOGIN;
    END IF;
    IF NOT pg_has_role('recollect_confined', 'MEMBER') THEN
        GRANT recollect_confined TO CURRENT_USER;
    END IF;
EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL;
END $$;

DO $$ DECLARE
    kept RECORD;
    named CONSTANT VARCHAR := '%1$s IS NULL OR %1$s = ANY ((SELECT string_to_array(current_setting(''recollect.projects'', true), chr(31)))::VARCHAR[])';
    of_memory CONSTANT VARCHAR := 'EXISTS (SELECT 1 FROM memories m WHERE m.id = memory_id)';
BEGIN
    IF to_regrole('recollect_confined') IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO recollect_confined', current_schema);
    EXECUTE format('GRANT ALL ON ALL TABLES IN SCHEMA %I TO recollect_confined', current_schema);
    EXECUTE format('GRANT ALL ON ALL SEQUENCES IN SCHEMA %I TO recollect_confined', current_schema);
    EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT ALL ON TABLES TO recollect_confined', current_schema);
    FOR kept IN SELECT * FROM (VALUES
        ('memories', format(named, 'namespace')),
        ('graph_nodes', format(named, 'namespace')),
        ('sessions', format(named, 'namespace')),
        ('observations', format(named, 'namespace')),
        ('fixes', format(named, 'namespace')),
        ('usefulness', format(named, 'namespace')),
        ('workspaces', format(named, 'id')),
        ('graph_edges', 'EXISTS (SELECT 1 FROM graph_nodes n WHERE n.id = src) AND EXISTS (SELECT 1 FROM graph_nodes n WHERE n.id = dst)'),
        ('memory_embeddings', of_memory),
        ('anchors', of_memory),
        ('anchor_states', of_memory),
        ('mentions', of_memory),
        ('injections', of_memory)
    ) AS tables (name, visible) LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', kept.name);
        EXECUTE format('CREATE POLICY of_caller ON %I TO recollect_confined USING (%s)', kept.name, kept.visible);
    END LOOP;
    -- Tokens, and who called what, are of no project.
    REVOKE ALL ON access_tokens, token_calls, role_projects FROM recollect_confined;
    GRANT SELECT ON role_projects TO recollect_confined;
END $$;
