package dev.colony.library.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.library.plan.CacheContext.PromptReplay;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class CacheContextTest {

  private static PlanAction reads(String name, String... pages) {
    return PlanAction.call(name, "read", JsonNodeFactory.instance.objectNode())
        .pages(List.of(pages));
  }

  private static CacheContext.Pages pages(long cacheTokens, Map<String, Integer> sizes) {
    return new CacheContext.Pages(sizes, Set.of(), cacheTokens, "");
  }

  private static List<String> names(List<PlanAction> actions) {
    return actions.stream().map(PlanAction::name).toList();
  }

  @Test
  void actionsOnTheSamePagesStandNextToEachOther() {
    List<PlanAction> plan =
        List.of(reads("a", "p"), reads("b", "q"), reads("c", "p"), reads("d", "q"));
    assertThat(names(CacheContext.ordered(plan, pages(100, Map.of("p", 100, "q", 100)))))
        .containsExactly("a", "c", "b", "d");
  }

  @Test
  void anActionStandsBehindWhatItNeeds() {
    List<PlanAction> plan =
        List.of(
            reads("a", "p"),
            reads("b", "q"),
            reads("c", "p").after("b"),
            reads("d", "q"),
            reads("e", "p"));
    List<String> order = names(CacheContext.ordered(plan, pages(100, Map.of("p", 100, "q", 100))));
    assertThat(order).containsExactly("a", "e", "b", "d", "c");
  }

  @Test
  void promptsBeginWithThePagesThatMostActionsShare() {
    List<PlanAction> plan = List.of(reads("a", "own", "map"), reads("b", "map"), reads("c", "map"));
    assertThat(CacheContext.prompts(plan).getFirst()).containsExactly("map", "own");
  }

  @Test
  void theContextTellsSharedPagesFromExclusiveOnesAndWhatIsToBeFetched() {
    List<PlanAction> plan = List.of(reads("a", "p", "q"), reads("b", "q"));
    CacheContext context =
        CacheContext.of(
            plan, new CacheContext.Pages(Map.of("p", 10, "q", 20), Set.of("q"), 30, "p names q"));
    assertThat(context.shared()).containsExactly("q");
    assertThat(context.exclusive()).containsExactly("p");
    assertThat(context.prefetch()).containsExactly("p");
    assertThat(context.order()).containsExactly("p", "q");
    assertThat(context.workingSet())
        .containsExactly(
            new CacheContext.PageUse("q", 2, 0, 20), new CacheContext.PageUse("p", 1, 0, 10));
    assertThat(context.smallestTokens()).isEqualTo(30);
    assertThat(context.idealTokens()).isEqualTo(30);
    assertThat(context.graph()).isEqualTo("p names q");
  }

  @Test
  void ofDraftsThatWouldDoTheOneThatKeepsCachedPagesIsTaken() {
    CacheContext.Pages known =
        new CacheContext.Pages(Map.of("p", 10, "q", 20, "r", 5), Set.of("p", "q"), 30, "");
    List<PlanAction> before = List.of(reads("a", "p"), reads("b", "q"));
    PlanDraft leavesBoth = PlanDraft.of(reads("c", "r"));
    PlanDraft leavesP = PlanDraft.of(reads("c", "q"));
    assertThat(CacheContext.lostTokens(before, leavesBoth.actions(), known)).isEqualTo(30);
    assertThat(CacheContext.lostTokens(before, leavesP.actions(), known)).isEqualTo(10);
    assertThat(CacheContext.hottest(List.of(leavesBoth, leavesP), before, known))
        .isEqualTo(leavesP);
  }

  @Test
  void aCacheOfAThirdOfTheWorkingSetComputesAtMostSixTenthsOfWhatPlanOrderDoes() {
    Random random = new Random(16);
    Map<String, Integer> sizes = new HashMap<>();
    IntStream.range(0, 24).forEach(page -> sizes.put("page" + page, 500 + random.nextInt(3_000)));
    List<PlanAction> plan = new ArrayList<>();
    for (int round = 0; round < 4; round++) {
      for (int part = 0; part < 12; part++) {
        plan.add(reads("r%d-%d".formatted(round, part), "page" + part, "page" + (part + 12)));
      }
    }
    long third = sizes.values().stream().mapToLong(Integer::longValue).sum() / 3;
    long planned =
        PromptReplay.computed(plan.stream().map(PlanAction::pages).toList(), sizes, third);
    List<PlanAction> ordered = CacheContext.ordered(plan, pages(third, sizes));
    long computed = PromptReplay.computed(CacheContext.prompts(ordered), sizes, third);
    assertThat(ordered).containsExactlyInAnyOrderElementsOf(plan);
    assertThat((double) computed / planned).isLessThanOrEqualTo(0.6);
  }

  @Property(tries = 200)
  void theOrderHoldsAllActionsBehindTheirNeedsAndIsNeverDearerThanThePlans(@ForAll long seed) {
    Random random = new Random(seed);
    Map<String, Integer> sizes = new HashMap<>();
    IntStream.range(0, 6).forEach(page -> sizes.put("p" + page, 1 + random.nextInt(50)));
    List<PlanAction> plan = new ArrayList<>();
    for (int at = 0; at < 12; at++) {
      String[] read =
          random.ints(random.nextInt(4), 0, 6).mapToObj(page -> "p" + page).toArray(String[]::new);
      PlanAction action = reads("a" + at, read);
      plan.add(at > 0 && random.nextInt(3) == 0 ? action.after("a" + random.nextInt(at)) : action);
    }
    long capacity = 1 + random.nextInt(150);
    List<PlanAction> ordered = CacheContext.ordered(plan, pages(capacity, sizes));
    assertThat(ordered).containsExactlyInAnyOrderElementsOf(plan);
    List<String> names = names(ordered);
    ordered.forEach(one ->
        one.after()
            .forEach(
                need -> assertThat(names.indexOf(need)).isLessThan(names.indexOf(one.name()))));
    assertThat(PromptReplay.computed(CacheContext.prompts(ordered), sizes, capacity))
        .isLessThanOrEqualTo(PromptReplay.computed(CacheContext.prompts(plan), sizes, capacity));
  }

  @Property(tries = 200)
  void aReplayHoldsNoMoreThanItsCacheAndComputesEachPageAtLeastOnce(@ForAll long seed) {
    Random random = new Random(seed);
    Map<String, Integer> sizes = Map.of("a", 3, "b", 5, "c", 7, "d", 11);
    List<List<String>> prompts = new ArrayList<>();
    for (int at = 0; at < 20; at++) {
      prompts.add(
          List.of("a", "b", "c", "d").stream().filter(page -> random.nextBoolean()).toList());
    }
    long all = prompts.stream().flatMap(List::stream).mapToLong(sizes::get).sum();
    long once = prompts.stream().flatMap(List::stream).distinct().mapToLong(sizes::get).sum();
    assertThat(PromptReplay.computed(prompts, sizes, 0)).isEqualTo(all);
    assertThat(PromptReplay.computed(prompts, sizes, 10_000)).isBetween(once, all);
    PromptReplay small = new PromptReplay(sizes, 12);
    for (List<String> prompt : prompts) {
      small.play(prompt);
      assertThat(small.hit(prompt)).isLessThanOrEqualTo(12);
    }
  }
}
