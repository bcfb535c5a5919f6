"""Uses of constants, types, interfaces and properties of a library, in another repository and in its own.

In lists of users `!` marks what is none: a name in a comment, another method of a class.
"""

# ruff: noqa: E501 - a table: a file is a row
from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.trees import git, write

from recollect import Engine


class Pair(NamedTuple):
    """A library, a program that uses it, users by symbol, and by repository what seems dead."""

    library: dict[str, str]
    app: dict[str, str]
    users: dict[str, str]
    dead: dict[str, str]


PAIRS = {
    "python": Pair(
        {
            "pyproject.toml": '[project]\nname = "acme-fleet"\nversion = "1"\n[build-system]\nrequires = []\n',
            "src/fleet/__init__.py": "from fleet.limits import MAX_SHIPS\nfrom fleet.ports import Port as Harbour\n"
            "from . import limits\n",
            "src/fleet/limits.py": "MAX_SHIPS = 10\nMIN_SHIPS = 1\nOWN_LIMIT = 3\nUNUSED_LIMIT = 9\n\n\ndef within(n):\n"
            "    return n < OWN_LIMIT\n",
            "src/fleet/ports.py": "from abc import ABC, abstractmethod\n\n\nclass Store(ABC):\n    @abstractmethod\n"
            "    def push(self, ship):\n        ...\n\n    def flush(self):\n        return 0\n\n\n"
            "class Port:\n    def __init__(self, name):\n        self.name = name\n\n"
            "    @property\n    def full_name(self):\n        return self.name\n\n"
            "    def moved(self):\n        return self\n\n\nclass Cargo:\n    weight: int = 0\n\n\n"
            "class Tag:\n    pass\n\n\nclass Own(Store):\n    def push(self, ship):\n        return 1\n\n\n"
            "class Spare(Store):\n    def push(self, ship):\n        return 2\n\n\n"
            "def drain(store: Store):\n    store.push(1)\n\n\ndef fill():\n    drain(Own())\n",
        },
        {
            "pyproject.toml": '[project]\nname = "acme-harbour"\nversion = "1"\ndependencies = ["acme-fleet"]\n',
            "harbour/__init__.py": "",
            "harbour/local.py": "LOCAL_LIMIT = 4\n\n\nclass Local:\n    @property\n    def size(self):\n"
            "        return 1\n\n\ndef unused_public():\n    return 0\n",
            "harbour/a.py": "import fleet\nfrom fleet import MAX_SHIPS, limits\n"
            "from fleet.limits import MIN_SHIPS\nfrom fleet.ports import Port, Store, Cargo, Tag, Spare, drain\n"
            "from harbour.local import LOCAL_LIMIT, Local\n\n\ndef u_const(n):\n"
            "    return n < MAX_SHIPS\n\n\ndef u_const_module(n):\n"
            "    return n > limits.MIN_SHIPS\n\n\ndef u_const_named(n=MIN_SHIPS):\n    return n\n\n"
            "\ndef u_local(n):\n    return n < LOCAL_LIMIT\n\n\nclass Mine(Store):\n"
            "    def push(self, ship):\n        return ship\n\n\nclass Base(Port):\n"
            "    def __init__(self, name):\n        super().__init__(name)\n\n\n"
            "def u_iface(store: Store):\n    store.push(1)\n    store.flush()\n\n\n"
            "def u_prop(port: fleet.Harbour):\n    return port.full_name\n\n\ndef u_prop_local(x: Local):\n"
            "    return x.size\n\n\ndef u_again():\n    x = Port('a')\n    x = x.moved()\n"
            "    x = x.moved()\n    return x\n\n\ndef u_type(cargo: Cargo):\n    return cargo\n\n\n"
            "class Hold:\n    tag: Tag\n\n\ndef u_spare():\n    return drain(Spare())\n",
            "harbour/held.py": "from flask import g\nfrom fleet.ports import Port\n\n\ndef held() -> Port:\n    return g.port\n\n\n"
            "def u_held():\n    return held().moved()\n\n\ndef u_told():\n    port: Port = g.port\n    return port.moved()\n",
            "harbour/__main__.py": "from harbour.a import u_const, u_type\n\n\ndef main():\n    u_const(1)\n"
            "    u_type(None)\n\n\nif __name__ == '__main__':\n    main()\n",
        },
        {
            "library/src/fleet/limits.py::MAX_SHIPS": "u_const",
            "library/src/fleet/limits.py::MIN_SHIPS": "u_const_module u_const_named",
            "library/src/fleet/limits.py::OWN_LIMIT": "within",
            "app/harbour/local.py::LOCAL_LIMIT": "u_local",
            "library/src/fleet/ports.py::Store.push": "Mine.push u_iface drain",
            "library/src/fleet/ports.py::Store.flush": "u_iface",
            "library/src/fleet/ports.py::Own.push": "drain",
            "library/src/fleet/ports.py::Spare.push": "u_iface drain",
            "app/harbour/a.py::Mine.push": "u_iface drain",
            "library/src/fleet/ports.py::Port.full_name": "u_prop",
            "app/harbour/local.py::Local.size": "u_prop_local",
            "library/src/fleet/ports.py::Port.moved": "u_again u_held u_told",
            "library/src/fleet/ports.py::Port.__init__": "Base.__init__ u_again",
            "library/src/fleet/ports.py::Cargo": "u_type",
            "library/src/fleet/ports.py::Tag": "Hold",
            "library/src/fleet/ports.py::Store": "Mine u_iface drain",
        },
        {"app": "unused_public"},
    ),
    "typescript": Pair(
        {
            "package.json": '{"name": "@acme/fleet", "version": "1.0.0", "main": "dist/index.js"}',
            "src/index.ts": 'export { MAX_SHIPS, MIN_SHIPS } from "./limits";\nexport * from "./ports";\n'
            'export { hidden as shown } from "./limits";\n',
            "src/limits.ts": "export const MAX_SHIPS = 10;\nexport const MIN_SHIPS = 1;\nconst OWN_LIMIT = 3;\n"
            "export function hidden(): number {\n  return 1;\n}\n"
            "export function within(n: number): boolean {\n  return n < OWN_LIMIT;\n}\n",
            "src/ports.ts": "export interface Store {\n  push(ship: number): void;\n  size: number;\n}\n\n"
            "export abstract class Base {\n  abstract run(): void;\n}\n\nexport class Port {\n"
            "  constructor(public name: string, public berth = 1) {}\n  get fullName(): string {\n"
            "    return this.name;\n  }\n  moved(): Port {\n    return this;\n  }\n}\n\n"
            "export interface Cargo {\n  weight: number;\n}\n\nexport type Tag = string;\n\n"
            "export enum Kind {\n  Big,\n  Small,\n}\n\n"
            "export function drain(store: Store): void {\n  store.push(1);\n}\n"
            'export async function opened(): Promise<Port> {\n  return new Port("a");\n}\n',
        },
        {
            "package.json": '{"name": "acme-harbour", "private": true, "dependencies": {"@acme/fleet": "^1.0.0"}}',
            "src/local.ts": "export const LOCAL_LIMIT = 4;\nexport class Local {\n  get size(): number {\n"
            "    return 1;\n  }\n}\nexport function unusedPublic(): number {\n  return 0;\n}\n",
            "src/a.ts": 'import { MAX_SHIPS, MIN_SHIPS, Store, Base, Port, Cargo, Tag, Kind } from "@acme/fleet";\n'
            'import * as fleet from "@acme/fleet";\nimport { LOCAL_LIMIT, Local } from "./local";\n'
            "\nexport function uConst(n: number): boolean {\n  return n < MAX_SHIPS;\n}\n"
            "export function uConstModule(n: number): boolean {\n  return n < fleet.MIN_SHIPS;\n}\n"
            "export const uTable = { a: MIN_SHIPS };\n"
            "export function uLocal(n: number): boolean {\n  return n < LOCAL_LIMIT;\n}\n"
            "export class Mine implements Store {\n  size = 0;\n  push(ship: number): void {}\n}\n"
            "export class Runner extends Base {\n  run(): void {}\n}\n"
            "export function uIface(store: Store): void {\n  store.push(1);\n}\n"
            "export function uBase(base: Base): void {\n  base.run();\n}\n"
            "export function uProp(port: Port): string {\n  return port.fullName;\n}\n"
            "export function uPropLocal(x: Local): number {\n  return x.size;\n}\n"
            'export function uAgain(): Port {\n  let x = new Port("a");\n  x = x.moved();\n'
            "  return x;\n}\nexport function uType(cargo: Cargo): Cargo {\n  return cargo;\n}\n"
            'export class Hold {\n  tag: Tag = "";\n  items: Array<Cargo> = [];\n}\n'
            "export function uBound<T extends Cargo>(x: T): T {\n  return x;\n}\n"
            "export function uKind(): Kind {\n  return Kind.Big;\n}\n",
            "src/held.ts": 'import { useContext, Ctx } from "react";\nimport { Port } from "@acme/fleet";\n'
            "export function held(): Port {\n  return useContext(Ctx);\n}\n"
            "export function uHeld(): Port {\n  return held().moved();\n}\n",
            "src/field.ts": 'import { opened, type Port } from "@acme/fleet";\n'
            "class Cart {\n  constructor(private readonly port: Port) {}\n  uField() {\n    return this.port.name + this.port.berth;\n  }\n}\n"
            "export async function uOpened() {\n  return new Cart(await opened()).uField();\n}\n",
            "src/s.ts": 'import { shown } from "@acme/fleet";\nexport function uShown() {\n  return shown();\n}\n',
            "src/main.ts": 'import { uConst } from "./a";\nuConst(1);\n',
        },
        {
            "library/src/limits.ts::MAX_SHIPS": "uConst",
            "library/src/limits.ts::MIN_SHIPS": "uConstModule uTable",
            "library/src/limits.ts::OWN_LIMIT": "within",
            "app/src/local.ts::LOCAL_LIMIT": "uLocal",
            "library/src/ports.ts::Store.push": "Mine.push uIface drain",
            "library/src/ports.ts::Base.run": "Runner.run uBase",
            "app/src/a.ts::Mine.push": "uIface",
            "app/src/a.ts::Runner.run": "uBase",
            "library/src/ports.ts::Port.fullName": "uProp",
            "app/src/local.ts::Local.size": "uPropLocal",
            "library/src/ports.ts::Port.moved": "uAgain uHeld",
            "library/src/ports.ts::Cargo": "uType Hold uBound",
            "library/src/ports.ts::Tag": "Hold",
            "library/src/ports.ts::Kind": "uKind",
            "library/package.json::name": "!Cart.uField",
            "library/src/ports.ts::opened": "uOpened !Cart.uField",
            "library/src/ports.ts::Store": "Mine uIface drain",
        },
        {"app": "unusedPublic"},
    ),
    "rust": Pair(
        {
            "Cargo.toml": '[package]\nname = "acme-fleet"\nversion = "1.0.0"\n',
            "src/lib.rs": "pub mod limits;\npub mod ports;\nmod kinds;\nmod sail;\npub use crate::kinds::{Kind};\npub use sail::sail;\n"
            "pub use limits::MAX_SHIPS;\npub use ports::{Port, Store};\n",
            "src/sail.rs": "pub fn sail() {}\n",
            "src/kinds.rs": "pub enum Kind {\n    Big,\n    Small,\n}\n\nimpl Kind {\n"
            "    pub fn parse(n: u32) -> Kind {\n        Kind::Big\n    }\n\n"
            "    pub fn weight(&self) -> u32 {\n        match self {\n            Kind::Big => 2,\n            Kind::Small => 1,\n        }\n    }\n}\n",
            "src/limits.rs": "pub const MAX_SHIPS: u32 = 10;\npub const MIN_SHIPS: u32 = 1;\n"
            "pub static NAMES: &[&str] = &[];\nconst OWN_LIMIT: u32 = 3;\n\n"
            "pub fn within(n: u32) -> bool {\n    n < OWN_LIMIT\n}\n",
            "src/ports.rs": "pub trait Store {\n    fn push(&mut self, ship: u32);\n"
            "    fn flush(&mut self) -> u32 {\n        0\n    }\n}\n\npub struct Port {\n"
            "    pub name: String,\n}\n\nimpl Port {\n    pub fn new() -> Self {\n"
            "        Port { name: String::new() }\n    }\n\n    pub fn moved(self) -> Self {\n"
            "        self\n    }\n\n    pub fn iter(&self) -> u32 {\n        1\n    }\n\n"
            "    pub fn holds(&self) -> Vec<Cargo> {\n        vec![]\n    }\n}\n\n"
            "pub struct Cargo {\n    pub weight: u32,\n}\n\n"
            "pub struct Tag;\n\npub struct Depot<S: Store> {\n    storage: S,\n}\n\n"
            "impl<S: Store> Depot<S> {\n    pub fn keep(&mut self) {\n"
            "        self.storage.push(1);\n    }\n}\n\npub fn drain(store: &mut dyn Store) {\n"
            "    store.push(1);\n}\n",
        },
        {
            "Cargo.toml": '[package]\nname = "acme-harbour"\nversion = "1.0.0"\n[dependencies]\n'
            'acme-fleet = "1"\n',
            "src/local.rs": "pub const LOCAL_LIMIT: u32 = 4;\n\npub fn unused_public() -> u32 {\n    0\n}\n\n"
            "pub enum Side {\n    Left,\n}\n\nimpl Side {\n    pub fn unused_method(&self) -> u32 {\n        0\n    }\n}\n\n"
            "impl std::fmt::Display for Side {\n    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {\n"
            "        Ok(())\n    }\n}\n",
            "src/main.rs": "mod local;\n\nuse acme_fleet::{Kind, Port, Store, MAX_SHIPS};\n"
            "use acme_fleet::limits;\nuse acme_fleet::ports::{Cargo, Tag};\n"
            "use crate::local::LOCAL_LIMIT;\n\nfn u_const(n: u32) -> bool {\n    n < MAX_SHIPS\n}\n"
            "\nfn u_const_module(n: u32) -> bool {\n    n < limits::MIN_SHIPS\n}\n\n"
            "fn u_names() -> usize {\n    acme_fleet::limits::NAMES.len()\n}\n\n"
            "fn u_local(n: u32) -> bool {\n    n < LOCAL_LIMIT\n}\n\nstruct Mine;\n\n"
            "impl Store for Mine {\n    fn push(&mut self, ship: u32) {}\n}\n\n"
            "fn u_iface(store: &mut dyn Store) {\n    store.push(1);\n    store.flush();\n}\n\n"
            "struct Yard<S: Store> {\n    storage: S,\n}\n\nimpl<S: Store> Yard<S> {\n"
            "    fn u_generic(&mut self) {\n        self.storage.push(1);\n    }\n}\n\n"
            "fn u_again() -> Port {\n    let mut x = Port::new();\n    x = x.moved();\n    x\n}\n\n"
            "fn next() -> Option<Port> {\n    None\n}\n\nfn u_some() {\n    if let Some(mut x) = next() {\n"
            "        x.moved();\n    }\n}\n\n"
            "fn u_iter(port: &Port) {\n    port.iter();\n}\n\nfn u_holds(port: &Port) {\n    port.holds().iter();\n}\n\n"
            "fn u_type(cargo: &Cargo) {}\n\nstruct Hold {\n    tag: Tag,\n    items: Vec<Cargo>,\n"
            "}\n\nfn u_bound<T: Store>(x: T) {}\n\nfn u_kind() -> Kind {\n    Kind::parse(1)\n}\n\n"
            "fn u_variant() -> bool {\n    matches!(u_kind(), Kind::Small)\n}\n\nfn u_sail() {\n    acme_fleet::sail();\n}\n\nfn main() {\n"
            "    u_const(1);\n}\n",
        },
        {
            "library/src/limits.rs::MAX_SHIPS": "u_const",
            "library/src/limits.rs::MIN_SHIPS": "u_const_module",
            "library/src/limits.rs::NAMES": "u_names",
            "library/src/limits.rs::OWN_LIMIT": "within",
            "app/src/local.rs::LOCAL_LIMIT": "u_local",
            "library/src/ports.rs::Store::push": "Mine::push u_iface drain Depot::keep Yard::u_generic",
            "library/src/ports.rs::Store::flush": "u_iface",
            "app/src/main.rs::Mine::push": "u_iface Yard::u_generic",
            "library/src/ports.rs::Port::moved": "u_again u_some",
            "library/src/ports.rs::Port::iter": "u_iter !u_holds",
            "library/src/ports.rs::Port::holds": "u_holds",
            "library/src/ports.rs::Cargo": "u_type Hold",
            "library/src/ports.rs::Tag": "Hold",
            "library/src/kinds.rs::Kind": "u_kind u_variant",
            "library/src/sail.rs::sail": "u_sail",
            "library/src/kinds.rs::Kind::parse": "u_kind",
            "library/src/ports.rs::Store": "Mine u_iface drain u_bound Yard Depot",
        },
        {"app": "unused_public unused_method !fmt"},
    ),
    "java": Pair(
        {
            "pom.xml": "<project><groupId>com.acme</groupId><artifactId>fleet</artifactId><version>1.4.0</version></project>",
            "fleet/Limits.java": "package com.acme.fleet;\n\npublic final class Limits {\n"
            "    public static final int MAX_SHIPS = 10;\n"
            "    public static final int MIN_SHIPS = 1;\n"
            "    private static final int OWN_LIMIT = 3;\n\n"
            "    public static boolean within(int n) {\n        return n < OWN_LIMIT;\n    }\n}\n",
            "fleet/Store.java": "package com.acme.fleet;\n\npublic interface Store {\n    void push(int ship);\n\n"
            "    default int flush() {\n        return 0;\n    }\n}\n",
            "fleet/Base.java": "package com.acme.fleet;\n\npublic abstract class Base {\n"
            "    protected abstract void run();\n\n    public void start() {\n        run();\n"
            "    }\n}\n",
            "fleet/Port.java": "package com.acme.fleet;\n\npublic class Port {\n    private final String name;\n\n"
            "    public Port(String name) {\n        this.name = name;\n    }\n\n"
            "    public String getName() {\n        return name;\n    }\n\n"
            "    public Port moved() {\n        return this;\n    }\n\n"
            "    public static Port ofShips(int n) {\n        return new Port(Registry.keyOf(n));\n"
            "    }\n}\n",
            "fleet/Registry.java": "package com.acme.fleet;\n\npublic class Registry {\n"
            "    public static String keyOf(int n) {\n        return String.valueOf(n);\n    }\n\n"
            "    public static Port find(int n) {\n        return Port.ofShips(n);\n    }\n}\n",
            "fleet/Cargo.java": "package com.acme.fleet;\n\npublic class Cargo {\n    public int weight;\n}\n",
            "fleet/Tag.java": "package com.acme.fleet;\n\npublic class Tag {\n    public Tag() {\n    }\n\n"
            "    public Tag(int n) {\n    }\n}\n",
            "fleet/Crate.java": "package com.acme.fleet;\n\npublic class Crate {\n    public enum Size { S, L }\n\n"
            "    private Size size;\n\n    boolean isLarge() {\n        return size == Size.L;\n    }\n}\n",
            "fleet/Own.java": "package com.acme.fleet;\n\npublic class Own implements Store {\n    @Override\n"
            "    public void push(int ship) {\n    }\n\n    static void drain(Store store) {\n        store.push(1);\n    }\n\n"
            "    static void fill() {\n        drain(new Own());\n    }\n}\n",
            "fleet/Kind.java": "package com.acme.fleet;\n\npublic enum Kind {\n    BIG, SMALL\n}\n",
        },
        {
            "pom.xml": "<project><groupId>com.acme</groupId><artifactId>harbour</artifactId><version>1</version><dependencies><dependency><groupId>com.acme</groupId><artifactId>fleet</artifactId><version>1.4.0</version></dependency></dependencies></project>",
            "harbour/Local.java": "package com.acme.harbour;\n\npublic class Local {\n"
            "    public static final int LOCAL_LIMIT = 4;\n\n"
            "    public static int unusedPublic() {\n        return 0;\n    }\n}\n",
            "harbour/Mine.java": "package com.acme.harbour;\n\nimport com.acme.fleet.Store;\n\n"
            "public class Mine implements Store {\n    @Override\n"
            "    public void push(int ship) {\n    }\n}\n",
            "harbour/Runner.java": "package com.acme.harbour;\n\nimport com.acme.fleet.Base;\n\n"
            "public class Runner extends Base {\n    @Override\n    protected void run() {\n    }\n"
            "}\n",
            "harbour/A.java": "package com.acme.harbour;\n\nimport com.acme.fleet.Base;\n"
            "import com.acme.fleet.Cargo;\nimport com.acme.fleet.Kind;\n"
            "import com.acme.fleet.Limits;\nimport com.acme.fleet.Port;\n"
            "import com.acme.fleet.Store;\nimport com.acme.fleet.Tag;\nimport java.util.List;\n\n"
            "import static com.acme.fleet.Limits.MIN_SHIPS;\n\npublic class A {\n"
            "    private Tag tag;\n\n    boolean uConst(int n) {\n"
            "        return n < Limits.MAX_SHIPS;\n    }\n\n    boolean uConstStatic(int n) {\n"
            "        return n < MIN_SHIPS;\n    }\n\n    boolean uLocal(int n) {\n"
            "        return n < Local.LOCAL_LIMIT;\n    }\n\n    void uIface(Store store) {\n"
            "        store.push(1);\n        store.flush();\n    }\n\n    void uBase(Base base) {\n"
            "        base.start();\n    }\n\n    String uGetter(Port port) {\n"
            "        return port.getName();\n    }\n\n    Port uAgain() {\n"
            '        Port x = new Port("a");\n        x = x.moved();\n        return x;\n    }\n\n'
            "    Port uShips() {\n        return Port.ofShips(1);\n    }\n\n"
            "    void uType(Cargo cargo) {\n    }\n\n    void uTypeList(List<Cargo> cargo) {\n"
            "    }\n\n    <T extends Cargo> void uBound(T x) {\n    }\n\n    Kind uKind() {\n"
            "        return Kind.BIG;\n    }\n\n    Tag uTag() {\n        return new Tag(1);\n    }\n\n"
            "    Tag uPlain() {\n        return new Tag();\n    }\n}\n",
            "harbour/Star.java": "package com.acme.harbour;\n\nimport com.acme.fleet.*;\n\npublic class Star {\n"
            "    Kind uStar(Kind kind, int n) {\n        return switch (kind) {\n            case SMALL -> Kind.BIG;\n"
            "            default -> n < Limits.MAX_SHIPS ? kind : null;\n        };\n    }\n}\n",
            "harbour/Main.java": "package com.acme.harbour;\n\npublic class Main {\n"
            "    public static void main(String[] args) {\n        new A().uConst(1);\n    }\n}\n",
        },
        {
            "library/fleet/Limits.java::Limits.MAX_SHIPS": "A.uConst Star.uStar",
            "library/fleet/Limits.java::Limits.MIN_SHIPS": "A.uConstStatic",
            "library/fleet/Limits.java::Limits.OWN_LIMIT": "Limits.within",
            "app/harbour/Local.java::Local.LOCAL_LIMIT": "A.uLocal",
            "library/fleet/Store.java::Store.push": "Mine.push A.uIface",
            "library/fleet/Store.java::Store.flush": "A.uIface",
            "library/fleet/Base.java::Base.run": "Runner.run Base.start",
            "app/harbour/Mine.java::Mine.push": "A.uIface Own.drain",
            "library/fleet/Crate.java::Crate.Size": "Crate Crate.isLarge",
            "library/fleet/Crate.java::Crate.Size.L": "Crate.isLarge",
            "library/fleet/Crate.java::Crate.Size.S": "!Crate.Size.L",
            "library/fleet/Own.java::Own.push": "A.uIface Own.drain",
            "app/harbour/Runner.java::Runner.run": "Base.start",
            "library/fleet/Port.java::Port.getName": "A.uGetter",
            "library/fleet/Port.java::Port.moved": "A.uAgain",
            "library/fleet/Port.java::Port.ofShips": "A.uShips Registry.find !Registry.keyOf",
            "library/fleet/Registry.java::Registry.keyOf": "Port.ofShips !Registry.find",
            "library/fleet/Cargo.java::Cargo": "A.uType A.uTypeList A.uBound",
            "library/fleet/Tag.java::Tag": "A",
            "library/fleet/Kind.java::Kind": "A.uKind Star.uStar",
            "library/fleet/Kind.java::Kind.SMALL": "Star.uStar !Kind.BIG",
            "library/fleet/Store.java::Store": "Mine A.uIface",
        },
        {"app": "unusedPublic"},
    ),
    "go": Pair(
        {
            "go.mod": "module example.com/acme/fleet\n\ngo 1.22\n",
            "filter/filter.go": "package filter\n\nfunc Weight(n int) bool {\n\treturn n > 0\n}\n",
            "limits/limits.go": "package limits\n\nconst MaxShips = 10\n\nconst (\n\tMinShips = 1\n\tBigShips = 7\n)\n"
            "\nvar Names = []string{}\n\nconst ownLimit = 3\n\n"
            "// Within tells whether n is allowed; see Spare and unusedHere.\n"
            "func Within(n int) bool {\n\treturn n < ownLimit\n}\n\n"
            "// Spare is not used. Spare does nothing.\nfunc Spare() int {\n\treturn 0\n}\n\n"
            "// unusedHere is not used.\nfunc unusedHere() int {\n\treturn 0\n}\n",
            "ports/ports.go": "package ports\n\n// Store keeps ships.\ntype Store interface {\n\tPush(ship int)\n}\n"
            "\ntype Port struct {\n\tName string\n}\n\nfunc New() *Port {\n\treturn &Port{}\n}\n\n"
            "// Moved returns p; Moved is cheap.\nfunc (p *Port) Moved() *Port {\n\treturn p\n}\n\n"
            "type Cargo struct {\n\tWeight int\n}\n\ntype Tag string\n\nfunc Drain(store Store) {\n"
            "\tstore.Push(1)\n}\n\ntype Gauge interface {\n\tLevel() int\n\tUnit() string\n}\n\n"
            "func Read(gauge Gauge) int {\n\treturn gauge.Level()\n}\n",
        },
        {
            "go.mod": "module example.com/acme/harbour\n\ngo 1.22\n\nrequire example.com/acme/fleet v1.4.0\n",
            "local/local.go": "package local\n\nconst LocalLimit = 4\n\nfunc UnusedPublic() int {\n\treturn 0\n}\n",
            "a.go": 'package main\n\nimport (\n\t"example.com/acme/fleet/limits"\n'
            '\t"example.com/acme/fleet/ports"\n\t"example.com/acme/harbour/local"\n)\n\n'
            "func UConst(n int) bool {\n\treturn n < limits.MaxShips\n}\n\n"
            "func UGroup(n int) bool {\n\treturn n < limits.MinShips+limits.BigShips\n}\n\n"
            "func UNames() int {\n\treturn len(limits.Names)\n}\n\nfunc ULocal(n int) bool {\n"
            "\treturn n < local.LocalLimit\n}\n\ntype Mine struct{}\n\n"
            "func (m *Mine) Push(ship int) {}\n\nfunc UIface(store ports.Store) {\n"
            "\tstore.Push(1)\n}\n\ntype Yard struct {\n\tstorage ports.Store\n}\n\n"
            "func (y *Yard) UField() {\n\ty.storage.Push(1)\n}\n\nfunc UAgain() *ports.Port {\n"
            "\tx := ports.New()\n\tx = x.Moved()\n\treturn x\n}\n\n"
            "// UType mentions Moved in a comment.\nfunc UType(cargo *ports.Cargo) int {\n\treturn cargo.Weight\n}\n\n"
            "type Hold struct {\n\ttag   ports.Tag\n\titems []ports.Cargo\n}\n\nfunc UMake() {\n"
            "\tUIface(&Mine{})\n}\n\ntype Tank struct{}\n\nfunc (Tank) Level() int {\n\treturn 1\n}\n\n"
            'func (Tank) Unit() string {\n\treturn "l"\n}\n\nfunc URead() int {\n\treturn ports.Read(Tank{})\n}\n',
            "main.go": "package main\n\nfunc main() {\n\tunusedHere := UConst(1)\n\tprintln(unusedHere)\n}\n",
        },
        {
            "library/limits/limits.go::MaxShips": "UConst",
            "library/limits/limits.go::MinShips": "UGroup",
            "library/limits/limits.go::BigShips": "UGroup",
            "library/limits/limits.go::Names": "UNames",
            "library/limits/limits.go::ownLimit": "Within",
            "library/limits/limits.go::unusedHere": "!Within !limits.go",
            "app/local/local.go::LocalLimit": "ULocal",
            "library/ports/ports.go::Store.Push": "Mine.Push UIface Yard.UField Drain",
            "app/a.go::Mine.Push": "UIface Yard.UField",
            "app/a.go::Tank.Level": "Read",
            "library/ports/ports.go::Port.Moved": "UAgain !UType",
            "library/ports/ports.go::Cargo": "UType Hold",
            "library/filter/filter.go::Weight": "!UType",
            "library/ports/ports.go::Tag": "Hold",
            "library/ports/ports.go::Store": "UIface Yard Drain",
        },
        {"library": "unusedHere", "app": "UnusedPublic"},
    ),
}  # fmt: skip


class Edit(NamedTuple):
    """An edit of a library: its language, the file, texts or names before and after, and users, as in the review."""

    language: str
    path: str
    before: str
    after: str
    users: str


EDITS = {
    "comment": Edit("go", "limits/limits.go", "func Spare() int {\n\treturn 0\n}\n", "", "!Within !limits.go"),
    "constant of go": Edit("go", "limits/limits.go", "const MaxShips = 10\n", "", "UConst"),
    "interface of go": Edit("go", "ports/ports.go", "Push(ship int)\n", "Push(n, m int)\n", "Mine.Push UIface Drain"),
    "constant of python": Edit("python", "src/fleet/limits.py", "MIN_SHIPS = 1\n", "", "u_const_module u_const_named"),
    "abstract method": Edit("python", "src/fleet/ports.py", "push(self, ship)", "push(self, ship, n)", "Mine.push u_iface drain"),
    "method made abstract": Edit("python", "src/fleet/ports.py", "    def flush", "    @abstractmethod\n    def flush", "Mine Own u_iface"),
    "renamed class": Edit("python", "src/fleet/ports.py", "class Port:", "class Pier:", "Base u_prop __init__.py"),
    "second name": Edit("typescript", "src/limits.ts", "function hidden", "function hidden2", "uShown index.ts"),
    "interface of typescript": Edit("typescript", "src/ports.ts", "push(ship: number)", "push(n: string)", "Mine.push uIface drain"),
    "constant of typescript": Edit("typescript", "src/limits.ts", "export const MAX_SHIPS = 10;\n", "", "uConst index.ts"),
    "constant of rust": Edit("rust", "src/limits.rs", "pub const MIN_SHIPS: u32 = 1;\n", "", "u_const_module"),
    "trait": Edit("rust", "src/ports.rs", "push(&mut self, ship: u32);", "push(&mut self);", "Mine::push u_iface drain"),
    "new member of an enum": Edit("rust", "src/kinds.rs", "    Small,\n", "    Small,\n    Tiny,\n", "Kind::weight"),
    "type": Edit("rust", "src/ports.rs", "pub struct Tag;\n", "", "Hold"),
    "constant of java": Edit("java", "fleet/Limits.java", "    public static final int MAX_SHIPS = 10;\n", "", "A.uConst"),
    "interface of java": Edit("java", "fleet/Store.java", "push(int ship)", "pushed(int ship)", "Mine.push A.uIface"),
    "static method": Edit("java", "fleet/Port.java", "ofShips(int n)", "ofShips(long n)", "A.uShips Registry.find !Registry.keyOf"),
    "second constructor": Edit("java", "fleet/Tag.java", "Tag(int n)", "Tag(long n)", "A.uTag !A.uPlain"),
    "moved file of python": Edit("python", "", "src/fleet/limits.py", "src/fleet/bounds.py", "__init__.py u_const_named"),
    "moved file of typescript": Edit("typescript", "", "src/limits.ts", "src/bounds.ts", "index.ts"),
    "moved file of rust": Edit("rust", "", "src/limits.rs", "src/bounds.rs", "lib.rs u_const"),
}  # fmt: skip


def full(path: str) -> str:
    """Return the path of a file of Java below the folder of its sources."""
    return f"src/main/java/com/acme/{path}" if path.endswith(".java") else path


def placed(base: Path, language: str) -> None:
    for side, files in (("library", PAIRS[language].library), ("app", PAIRS[language].app)):
        write(base / side, {full(path): text for path, text in files.items()})
        git(base / side, "init", "-q")
        git(base / side, "add", "-A")
        git(base / side, "commit", "-q", "-m", "first")


def shown(key: str) -> str:
    """Return a key without its Java package."""
    return key.removeprefix("com.acme.fleet.").removeprefix("com.acme.harbour.")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Path]]:
    base = Path(os.path.realpath(tmp_path_factory.mktemp("uses")))
    with Engine(home=str(base / "home"), embed_provider="off", index_workers=1) as opened:
        for language in PAIRS:
            placed(base / language, language)
            for side in ("app", "library"):
                opened.code.index(str(base / language / side))
        yield opened, base


def wrong(wanted: str, found: set[str]) -> list[str]:
    return [name for name in wanted.split() if (name.lstrip("!") in found) == name.startswith("!")]


@pytest.mark.parametrize("language", PAIRS)
def test_constants_types_interfaces_and_properties_have_users(engine: tuple[Engine, Path], language: str) -> None:
    opened, base = engine
    missing = {}
    for symbol, users in PAIRS[language].users.items():
        place, _, key = symbol.partition("::")
        side, _, path = place.partition("/")
        package = f"com.acme.{path.partition('/')[0]}." if language == "java" else ""
        found = opened.links.impact(f"{base}/{language}/{side}/{full(path)}::{package}{key}", depth=1).affected
        missing[symbol] = wrong(users, {shown(use.node.id.rpartition("/")[2].partition("::")[2]) for use in found})
    assert not {symbol: names for symbol, names in missing.items() if names}


@pytest.mark.parametrize("language", PAIRS)
def test_public_code_of_a_program_and_names_in_comments_are_dead(engine: tuple[Engine, Path], language: str) -> None:
    opened, base = engine
    for side, names in PAIRS[language].dead.items():
        found = opened.survey.dead_code(namespace=str(base / language / side))
        assert not wrong(names, {row.symbol.name for row in found.symbols})


@pytest.mark.parametrize("name", EDITS)
def test_a_review_finds_the_users_of_what_was_edited(tmp_path: Path, name: str) -> None:
    edit, base = EDITS[name], Path(os.path.realpath(tmp_path))
    placed(base, edit.language)
    with Engine(home=str(base / "home"), embed_provider="off", index_workers=1) as opened:
        for side in ("app", "library"):
            opened.code.index(str(base / side), link=True)
        if edit.path:
            file = base / "library" / full(edit.path)
            assert edit.before in file.read_text()
            file.write_text(file.read_text().replace(edit.before, edit.after))
        else:
            git(base / "library", "mv", edit.before, edit.after)
        for _ in ("before it is indexed", "after"):
            found = opened.survey.review(path=str(base / "library")).affected
            names = {shown(row.place.symbol) or row.place.path.rpartition("/")[2] for row in found}
            assert not wrong(edit.users, names)
            opened.code.index(str(base / "library"), link=True)
