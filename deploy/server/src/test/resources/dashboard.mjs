// Walks the dashboard of a node in Chromium: node dashboard.mjs URL CHROMIUM KEY PICTURES VIEWER
// ADMIN, the last two being keys. The agent acme/billing/teller is there, whose action voice.tell
// needs an approval, acme/billing/planner with a plan that has ended, and pages in caches. Prints
// what it saw as one JSON object.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [url, executablePath, key, pictures, viewer, admin] = process.argv.slice(2);
const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
const told = { console: [], elsewhere: [], violations: [] };

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  page.setDefaultTimeout(60000);
  page.on("console", (message) => {
    // Of the request without a key, which the page answers by asking for one.
    if (["error", "warning"].includes(message.type()) && !message.text().includes("401")) {
      told.console.push(message.text());
    }
  });
  page.on("pageerror", (failure) => told.console.push(failure.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(url + "/")) {
      told.elsewhere.push(request.url());
    }
  });
  const seen = async (name) => {
    const found = await page.evaluate(`${axe};axe.run().then((run) => run.violations.map((one) => one.id + " " + one.nodes[0].html))`);
    told.violations.push(...found.map((one) => `${name}: ${one}`));
    if (pictures && ["agent", "prompts", "pages"].includes(name)) {
      await page.screenshot({ path: `${pictures}/dashboard-${name}.png` });
    }
  };
  const view = (name) => page.getByRole("navigation").getByRole("link", { name, exact: true }).click();

  const enter = async (page, key) => {
    await page.goto(`${url}/`);
    await page.getByLabel("Key").fill(key);
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByLabel("Tenant").fill("acme");
    await page.getByLabel("Tenant").press("Enter");
  };
  /** The buttons that a caller sees in all views that have some for operators. */
  const buttons = async (key) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(60000);
    await enter(page, key);
    const names = new Set();
    const place = async (fragment, shown) => {
      await page.evaluate((to) => { location.hash = to; }, fragment);
      await page.getByText(shown).first().waitFor();
      for (const step of await page.locator(".timeline > li > details > summary").all()) {
        await step.click();
      }
      (await page.getByRole("button").allTextContents()).forEach((name) => names.add(name));
    };
    await place("#/overview", "Spent in this period");
    await place("#/approvals", "acme/billing/teller");
    await place("#/agent/acme/billing/teller", "What it did");
    await place("#/agent/acme/billing/planner", "What it did");
    await context.close();
    return [...names];
  };

  await enter(page, key);
  await page.getByText("Spent in this period").waitFor();
  told.paintMillis = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  await seen("overview");

  await view("Agents");
  await page.getByRole("link", { name: "acme/billing/teller" }).click();
  await page.getByLabel("Ask it").fill('{"steps": 2, "millis": 0}');
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("asks for approval of").first().waitFor();
  await seen("waiting");

  await view("Approvals");
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await seen("approvals");
  told.buttons = { viewer: await buttons(viewer), operator: await buttons(key), admin: await buttons(admin) };
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByText("No agent waits for an approval.").waitFor();

  await page.goBack();
  await page.getByText("ended").first().waitFor();
  told.ended = await page.locator(".timeline .state").first().textContent();
  await page.locator(".timeline > li > details > summary").filter({ hasText: "voice.tell" }).filter({ has: page.locator(".bar") }).first().click();
  await page.locator(".timeline details[open]").getByText("Parameters", { exact: true }).waitFor();
  await seen("agent");

  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();

  await view("Agents");
  await page.getByRole("link", { name: "acme/billing/planner" }).click();
  await page.getByRole("heading", { name: "Plan", exact: true }).waitFor();
  told.plan = (await page.locator(".plan > li").allTextContents()).map((row) => row.replace(/\s+/g, " ").trim());
  await page.locator(".timeline > li > details > summary").filter({ hasText: "1 model call," }).first().click();
  await page.locator(".prompts > summary").filter({ visible: true }).click();
  const sections = page.locator(".prompts tbody tr");
  await sections.first().waitFor();
  told.sections = await sections.locator("td:nth-child(1)").allTextContents();
  told.sizes = (await sections.locator("td:nth-child(3)").allTextContents()).map((size) => Number(size.replace(/\D/g, "")));
  await seen("prompts");

  await view("Pages");
  await page.locator(".heat td.resident").first().waitFor();
  told.resident = await page.locator(".heat td.resident").count();
  await seen("pages");

  await view("Blackboard");
  await page.getByRole("link", { name: "tenant:acme" }).first().click();
  await page.getByRole("button", { name: "From the beginning" }).click();
  await page.getByText("written", { exact: true }).first().waitFor();
  await seen("board");

  await view("Store");
  await page.getByText("Every message has come to its agent.").waitFor();
  await seen("store");

  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 800 });
  await view("Overview");
  await page.getByText("Spent in this period").waitFor();
  await seen("phone");
  told.wider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  console.log(JSON.stringify(told));
} finally {
  await browser.close();
}
