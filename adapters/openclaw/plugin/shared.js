/**
 * What all copies of this plugin in one gateway process share. The host evaluates the module more than once (for hooks,
 * for tools, after a reload); the daemon sees one link all the same.
 */
import { randomUUID } from "node:crypto";
import { Link } from "./link.js";
import { Twins } from "./twins.js";

const KEY = Symbol.for("kbgate.openclaw/1");

/** @returns {{boot: string, link: Link, twins: Twins, calls: number}} */
export function shared() {
  if (globalThis[KEY] === undefined) {
    const boot = randomUUID();
    globalThis[KEY] = { boot, link: new Link(boot), twins: new Twins(), calls: 0 };
  }
  return globalThis[KEY];
}
