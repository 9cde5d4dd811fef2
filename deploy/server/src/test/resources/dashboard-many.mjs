// Looks at many agents and at a long run in Chromium: node dashboard-many.mjs URL CHROMIUM KEY.
// Prints how long each view took, in milliseconds, and what it showed, as one JSON object.
import { chromium } from "playwright-core";

const [url, executablePath, key] = process.argv.slice(2);
const told = { console: [], millis: {} };

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  page.setDefaultTimeout(60000);
  page.on("pageerror", (failure) => told.console.push(failure.message));
  const timed = async (name, act) => {
    const begin = performance.now();
    await act();
    told.millis[name] = Math.round(performance.now() - begin);
  };
  const view = (name) => page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  const rows = (selector, most) => page.waitForFunction(([one, n]) => document.querySelectorAll(one).length >= n, [selector, most]);

  await page.goto(`${url}/`);
  await page.getByLabel("Key").fill(key);
  await page.getByRole("button", { name: "Enter" }).click();
  await page.getByLabel("Tenant").fill("acme");
  await page.getByLabel("Tenant").press("Enter");
  await timed("overview", () => page.getByText("Spent in this period").waitFor());

  await timed("agents", async () => {
    await view("Agents");
    await rows(".tree li", 200);
  });
  await timed("more agents", async () => {
    await page.getByRole("button", { name: "More agents" }).click();
    await rows(".tree li", 400);
  });
  told.agents = await page.locator(".tree li").count();
  await timed("by name", async () => {
    await page.getByLabel("Name begins with").fill("teller");
    await page.getByLabel("Name begins with").press("Tab");
    await page.waitForFunction(() => document.querySelectorAll(".tree li").length === 1);
  });
  await timed("an agent", async () => {
    await page.getByRole("link", { name: "acme/billing/teller" }).click();
    await rows(".timeline > li", 50);
  });
  for (let more = 2; more <= 5; more++) {
    await timed(`earlier ${more}`, async () => {
      await page.getByRole("button", { name: "Earlier" }).click();
      await rows(".timeline > li", 50 * more);
    });
  }
  told.steps = await page.locator(".timeline > li").count();
  console.log(JSON.stringify(told));
} finally {
  await browser.close();
}
