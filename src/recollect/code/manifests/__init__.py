"""Package manifests: packages that a project provides and needs.

    bytes ──families──► Manifest ──► store ──package_resolution──► packages and dependencies ──► importable_names

Each manifest is read alone. `package_resolution` sees all manifests of a tree and fills in what they inherit from a
workspace or a parent. Nothing is run or fetched.
"""
