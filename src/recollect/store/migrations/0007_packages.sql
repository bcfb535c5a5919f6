-- What projects say about themselves: derived from their manifests, never logged.

-- What one manifest says, packed (recollect.code.manifests.manifest).
CREATE TABLE manifests (
    file    INTEGER PRIMARY KEY,
    content BLOB NOT NULL
);

-- The packages that the manifests of a tree speak of, together; a number is tree << 24 | place.
--   name          as its registry compares names; empty for a package without a name
--   label         as it is written
--   workspace     folder of the workspace it is a member of
--   provides      what can be imported and where it lies, packed
--   dependencies  packed (recollect.store.package_protocol)
CREATE TABLE packages (
    id           INTEGER PRIMARY KEY,
    folder       TEXT NOT NULL,
    ecosystem    TEXT NOT NULL,
    name         TEXT NOT NULL,
    label        TEXT NOT NULL,
    version      TEXT NOT NULL,
    manifest     TEXT NOT NULL,
    mark         TEXT NOT NULL,
    workspace    TEXT,
    provides     BLOB NOT NULL,
    dependencies BLOB NOT NULL
);
CREATE INDEX idx_packages_name ON packages (ecosystem, name);

-- Trees whose packages say what their manifests do: a change of a manifest takes its tree out, in the same transaction.
CREATE TABLE settled_trees (
    tree INTEGER PRIMARY KEY
);
