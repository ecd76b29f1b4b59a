// SPDX-License-Identifier: Apache-2.0

// The report of all experiments, where this page is a part of a site that has one: ./dev docs writes its address
// into site.json, which lies beside the page.

type Pages = (id: string) => string | null;

async function find(): Promise<Pages> {
  const { report } = await (await fetch('site.json')).json();
  if (!report) return () => null;
  const { claims } = await (await fetch(`${report}report.json`)).json();
  const ids = new Set<string>(claims.map((each: { id: string }) => each.id));
  return (id) => (ids.has(id) ? `${report}${id.split('/').map(encodeURIComponent).join('/')}.html` : null);
}

let found: Promise<Pages> | null = null;

// The address of an experiment's page in the report; without a report, or where it has no such page, there is none.
export const reportPages = () => (found ??= find().catch(() => () => null));
