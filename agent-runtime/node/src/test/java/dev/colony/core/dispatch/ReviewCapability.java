package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.AgentCapability.Publishable;
import dev.colony.agent.author.Background;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The capability that docs/guides/capabilities.md shows. */
@Registered("guide.review")
final class ReviewCapability extends AgentCapability {

  // guide: records
  record Rules(
      @Param("which set of rules") String ruleset, @Range(min = 1, max = 100) int atMost) {}

  record Finding(String id, String page, String text) implements Publishable {
    @Override
    public String blackboardKey() {
      return "finding:" + id;
    }
  }

  // guide end

  private final Rules rules;
  private int checked;
  final List<String> tickets = new ArrayList<>();

  ReviewCapability(CapabilityContext context, Rules rules) {
    super(context);
    this.rules = rules;
  }

  // guide: action
  @ActionExecutor(
      summary = "Checks one page against the rules. Costs a second a page.",
      tags = "expensive",
      writes = "findings",
      timeout = "2m")
  List<Finding> check(
      @Param("the page to check") String page,
      @Param("what to look at first") Optional<String> focus) {
    checked++;
    String text =
        rules.ruleset() + " in " + page + focus.map(first -> ", first " + first).orElse("");
    return List.of(new Finding("1", page, text));
  }

  // guide end

  // guide: external
  @ActionExecutor(summary = "Opens a ticket for a finding.", effect = Effect.EXTERNAL, attempts = 3)
  String openTicket(Finding finding, IdempotencyKey key) {
    return tracker().open(finding.text(), key.value());
  }

  // guide end

  // guide: asynchronous
  @ActionExecutor(summary = "Publishes a finding to its subscribers.")
  CompletionStage<String> tell(Finding finding) {
    return publish(finding, "review").thenApply(written -> finding.blackboardKey());
  }

  // guide end

  // guide: blocked
  @ActionExecutor(summary = "Sums up what the reviewers have found.")
  ActionResult sumUp(ActionContext context) throws Exception {
    int found =
        blackboard().query(Query.keys("finding:*")).toCompletableFuture().get().entries().size();
    return found == 0
        ? ActionResult.blocked(context.actionId(), "no reviewer has found anything", List.of())
        : ActionResult.succeeded(context.actionId(), IntNode.valueOf(found));
  }

  // guide end

  // guide: long
  @ActionExecutor(summary = "Checks all pages. Takes hours.", timeout = "12h")
  int checkAll(List<String> pages, ActionContext context) throws InterruptedException {
    int done = context.lastCheckpoint().map(JsonNode::asInt).orElse(0);
    while (done < pages.size()) {
      context.pausePoint();
      check(pages.get(done), Optional.empty());
      done++;
      context.checkpoint(IntNode.valueOf(done));
      context.progress((double) done / pages.size(), "checked " + done + " pages");
    }
    return done;
  }

  // guide end

  // guide: computing
  @ActionExecutor(summary = "Compares each page with each.", computing = true, timeout = "1m")
  Map<String, Integer> similarities(List<String> pages) {
    // guide pause
    return Map.of("pages", pages.size());
  }

  // guide resume
  // ...
  // guide end

  // guide: handler
  @EventHandler(pattern = "finding:*", contextKey = "finding")
  Optional<String> onFinding(Finding finding) {
    return finding.page().equals("secret") ? Optional.empty() : Optional.of(finding.text());
  }

  // guide end

  // guide: background
  @Background(effect = "Forgets findings older than a day.", every = "10m")
  void forget() {
    checked = 0;
  }

  // guide end

  // guide: snapshot
  @Override
  public JsonNode snapshot() {
    return IntNode.valueOf(checked);
  }

  @Override
  public void restore(JsonNode snapshot) {
    checked = snapshot.asInt();
  }

  // guide end

  private Tracker tracker() {
    return (text, key) -> {
      tickets.add(key);
      return "T-" + tickets.size();
    };
  }

  private interface Tracker {
    String open(String text, String idempotencyKey);
  }
}
