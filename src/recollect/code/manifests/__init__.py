"""Manifests: what a project says about itself, the packages it provides and those it needs.

    bytes ──families──► Manifest ──► STORE ──settle──► packages and their dependencies ──► graph, get_cross_repo
                                                                                      └──► provided: imports

A manifest is read like any other file, alone; what it leaves to others (a workspace, a parent) is filled in by
`settle`, which sees all manifests of a tree. Nothing is ever run, fetched or asked of a tool.
"""
