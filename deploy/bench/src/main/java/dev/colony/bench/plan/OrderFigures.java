package dev.colony.bench.plan;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.view.ActionView;
import dev.colony.bench.load.Figures;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import dev.colony.library.plan.CacheContext;
import dev.colony.library.plan.PlanAction;
import dev.colony.library.plan.PromptReplay;
import dev.colony.library.planning.CacheAwareActionPolicy;
import dev.colony.library.planning.PlanArgs;
import dev.colony.schema.JsonValues;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import dev.colony.vcm.PageStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * The prompt tokens that the actions of one plan compute, in the order in which a run has executed
 * them: one run that knows how much a cache holds, and one that does not and keeps to the plan. The
 * cache of the replay holds a third of all pages that the plan reads.
 *
 * @param actions of the plan
 * @param workingSetTokens of all pages
 * @param cacheTokens that the cache holds
 * @param planTokens computed in the plan's order
 * @param cacheAwareTokens computed in the order of the run that knows the cache
 */
public record OrderFigures(
    int actions, long workingSetTokens, long cacheTokens, long planTokens, long cacheAwareTokens) {

  /** The most of the plan's tokens that may be computed. */
  public static final double ASKED = 0.6;

  private static final int SEED = 16;
  private static final int AHEAD = 256;

  static OrderFigures measure(PlanLoad load) {
    Random random = new Random(SEED);
    BenchPages pages = BenchPages.make(2 * load.parts(), random);
    Map<String, Integer> sizes = pages.sizes();
    long cache = pages.tokens() / 3;
    List<PlanAction> plan = plan(load, pages, random);
    try (InMemoryBlackboards boards = new InMemoryBlackboards()) {
      PageStore store = pages.store(boards);
      List<PlanAction> planned = trace(plan, PlanArgs.NONE, store);
      List<PlanAction> ordered = trace(plan, PlanArgs.NONE.cacheTokens(cache), store);
      return new OrderFigures(
          plan.size(),
          pages.tokens(),
          cache,
          PromptReplay.computed(planned.stream().map(PlanAction::pages).toList(), sizes, cache),
          PromptReplay.computed(CacheContext.prompts(ordered), sizes, cache));
    }
  }

  /**
   * Round by round over all parts, each round in an order of its own; what a round does about a
   * part waits for what the round before has done about it.
   */
  private static List<PlanAction> plan(PlanLoad load, BenchPages pages, Random random) {
    List<PlanAction> plan = new ArrayList<>();
    List<Integer> parts = new ArrayList<>();
    for (int part = 0; part < load.parts(); part++) {
      parts.add(part);
    }
    for (int round = 0; round < load.rounds(); round++) {
      Collections.shuffle(parts, random);
      for (int part : parts) {
        PlanAction action =
            PlanAction.call(
                    name(round, part),
                    PlanTypes.Desk.WRITE,
                    JsonNodeFactory.instance
                        .objectNode()
                        .put("text", "round %d of part %d".formatted(round, part)))
                .pages(List.of(pages.id(part, 0), pages.id(part, load.parts())));
        plan.add(round == 0 ? action : action.after(name(round - 1, part)));
      }
    }
    return plan;
  }

  private static String name(int round, int part) {
    return "r%dp%d".formatted(round, part);
  }

  /** The plan's actions in the order in which a run has executed them. */
  private static List<PlanAction> trace(List<PlanAction> plan, PlanArgs args, PageStore store) {
    PlanArgs.Rules oneByOne =
        (PlanArgs.Rules)
            JsonValues.read(
                JsonNodeFactory.instance.objectNode().put("parallel", 1).put("ahead", AHEAD),
                PlanArgs.Rules.class);
    Map<String, PlanAction> named = new HashMap<>();
    plan.forEach(one -> named.put(one.name(), one));
    try (FakeModel model = FakeModel.start()) {
      model.expect().calls("plan", told(plan));
      try (TestAgent agent =
          TestAgent.of(
                  AgentBlueprint.of(
                          Blueprint.bind(CacheAwareActionPolicy.class, args.rules(oneByOne)))
                      .capability(CapabilityBlueprint.of(Blueprint.of(PlanTypes.Desk.TYPE))))
              .service(PageStore.class, store)
              .model(model)
              .start()) {
        AgentRun run = agent.run("Go through all parts");
        run.error()
            .ifPresent(why -> {
              throw new IllegalStateException("the run has failed: " + why);
            });
        return agent.steps().actions().stream().map(ActionView::actionId).map(named::get).toList();
      }
    }
  }

  private static ObjectNode told(List<PlanAction> plan) {
    ObjectNode told = JsonNodeFactory.instance.objectNode().put("result", "done");
    for (PlanAction one : plan) {
      PlanAction.Call call = (PlanAction.Call) one.work();
      ObjectNode action = told.withArray("actions").addObject();
      action.put("name", one.name()).put("action", call.key()).set("parameters", call.params());
      one.pages().forEach(action.withArray("pages")::add);
      one.after().forEach(action.withArray("after")::add);
    }
    return told;
  }

  double ratio() {
    return (double) cacheAwareTokens / planTokens;
  }

  ObjectNode toJson() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("actions", actions)
        .put("workingSetTokens", workingSetTokens)
        .put("cacheTokens", cacheTokens)
        .put("planTokens", planTokens)
        .put("cacheAwareTokens", cacheAwareTokens)
        .put("ratio", Figures.rounded(ratio()))
        .put("asked", ASKED);
  }

  String toText() {
    return String.format(
        Locale.ROOT,
        """
        prompt tokens of %,d actions on pages of %,d tokens, with a cache of %,d
          in the plan's order   %,d
          in cache-aware order  %,d, %.2f of it; at most %.2f is asked\
        """,
        actions,
        workingSetTokens,
        cacheTokens,
        planTokens,
        cacheAwareTokens,
        ratio(),
        ASKED);
  }
}
