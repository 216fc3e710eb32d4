/* Bundles every entry, a script and a style sheet for each, into ../static, where Python finds them;
 * `npm run build`.
 *
 * The bundles are committed, so that `pip install` needs no Node. CI builds them again and compares:
 * a bundle that does not come from these sources is an error. */

import { readdirSync } from "node:fs";

import { build } from "esbuild";

const here = new URL(".", import.meta.url).pathname;

await build({
  absWorkingDir: here,
  entryPoints: readdirSync(`${here}entries`).map((name) => `entries/${name}`),
  outdir: "../static",
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022", "chrome105", "firefox115", "safari16"],
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
});
