package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.library.plan.PlanChange.Amendment;
import dev.colony.library.plan.PlanLevel.PlanItem;
import dev.colony.library.plan.PlanLevel.PlanItem.Status;
import dev.colony.library.plan.PlanRules.Trigger;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Makes of a plan what a planner has said is to be done about one of its levels. */
final class PlanAmending {

  private PlanAmending() {}

  /** A planner has said what is to be done about a level. */
  static PlanState amended(
      PlanState state, String level, List<Trigger> triggers, Amendment amendment, String reason) {
    PlanState counted =
        state.with(next -> {
          next.triggers = state.triggers().stream().filter(one -> !triggers.contains(one)).toList();
          next.cycles += PlanMachine.counts(state, triggers) ? 1 : 0;
          next.revisions++;
          next.sinceRevision = 0;
          if (!(amendment instanceof Amendment.GoOn)) {
            next.proposal = Optional.empty();
          }
        });
    PlanLevel.Revision revision =
        new PlanLevel.Revision(
            counted.revisions(),
            triggers.stream().map(Trigger::toString).toList(),
            amendment.strategy(),
            reason);
    PlanState noted = counted.withLevel(level, one -> one.revised(revision));
    PlanState failuresGone =
        amendment instanceof Amendment.GoOn
            ? noted.withLevel(
                level, one -> one.settle(PlanAmending::failed, Status.ACCEPTED, "done without"))
            : noted.withLevel(
                level, one -> one.settle(PlanAmending::failed, Status.DROPPED, "failed"));
    return switch (amendment) {
      case Amendment.GoOn go -> failuresGone;
      case Amendment.Add add ->
          failuresGone.withLevel(level, one -> one.with(add.draft(), parent(state, level)));
      case Amendment.Revise revise ->
          failuresGone.withLevel(
              level,
              one ->
                  unfinishedDropped(one, revise.keep())
                      .result(Optional.empty())
                      .with(revise.draft(), parent(state, level)));
      case Amendment.Backtrack back -> backtracked(failuresGone, level, back);
      case Amendment.Escalate escalate -> escalated(noted, level, escalate.question());
      case Amendment.StartAnew anew -> anew(noted, anew.draft());
      case Amendment.Complete complete -> completed(failuresGone, level, complete.result());
      case Amendment.GiveUp giveUp -> givenUp(noted, level, giveUp.reason());
    };
  }

  private static boolean failed(PlanItem item) {
    return item.status() == Status.FAILED;
  }

  private static PlanLevel unfinishedDropped(PlanLevel level, Set<String> keep) {
    return level.settle(
        one -> !one.status().settled() && !keep.contains(one.name()), Status.DROPPED, "revised");
  }

  /** Ids of a level's actions begin with this. */
  private static String parent(PlanState state, String level) {
    return level.equals(PlanState.ROOT) ? state.prefix() : level;
  }

  private static PlanState backtracked(PlanState state, String level, Amendment.Backtrack back) {
    PlanLevel at = state.level(level);
    long since =
        at.named(back.to()).stream()
            .flatMap(PlanAmending::leaves)
            .mapToLong(PlanItem::ended)
            .filter(ended -> ended > 0)
            .min()
            .orElse(Long.MAX_VALUE);
    List<String> undoing =
        at.items().stream()
            .flatMap(PlanAmending::leaves)
            .filter(one -> one.status() == Status.DONE && one.ended() >= since)
            .filter(one -> one.action().undo().isPresent())
            .sorted(Comparator.comparingLong(PlanItem::ended).reversed())
            .map(PlanItem::id)
            .toList();
    Set<String> first = new HashSet<>(undoing);
    PlanLevel rest = left(at, since, first);
    List<String> all =
        Stream.concat(state.undoing().stream(), undoing.stream()).distinct().toList();
    return state
        .with(next -> next.undoing = all)
        .withLevel(
            level, one -> rest.result(Optional.empty()).with(back.draft(), parent(state, level)));
  }

  /** What is not taken back by an action of its own stands as undone or dropped at once. */
  private static PlanLevel left(PlanLevel level, long since, Set<String> undoing) {
    return level.items(
        level.items().stream()
            .map(
                one -> one.sub().isPresent() ? one.sub(left(one.sub().get(), since, undoing)) : one)
            .map(one -> {
              if (undoing.contains(one.id())) {
                return one;
              }
              if (!one.status().settled()) {
                return one.status(Status.DROPPED, "the plan went back");
              }
              return one.status().satisfies() && one.ended() >= since
                  ? one.status(Status.UNDONE, one.sub().isPresent() ? "" : "nothing takes it back")
                  : one;
            })
            .toList());
  }

  private static Stream<PlanItem> leaves(PlanItem item) {
    return item.sub().isPresent()
        ? item.sub().get().items().stream().flatMap(PlanAmending::leaves)
        : Stream.of(item);
  }

  private static PlanState escalated(PlanState state, String level, String question) {
    return state.with(next -> {
      next.escalations++;
      next.escalation = Optional.of(new PlanState.Escalation(next.escalations, level, question));
    });
  }

  private static PlanState anew(PlanState state, PlanDraft draft) {
    PlanState cleared =
        state.with(next -> {
          next.generation++;
          next.triggers = List.of();
        });
    PlanLevel root =
        cleared
            .root()
            .orElseThrow()
            .items(List.of())
            .result(Optional.empty())
            .with(draft, cleared.prefix());
    return cleared.with(next -> next.root = Optional.of(root));
  }

  private static PlanState completed(PlanState state, String level, JsonNode result) {
    PlanState done =
        state.withLevel(level, one -> unfinishedDropped(one, Set.of()).result(Optional.of(result)));
    return level.equals(PlanState.ROOT)
        ? done.with(next -> {
          next.proposal = Optional.of(result);
          next.triggers = List.of();
        })
        : done;
  }

  private static PlanState givenUp(PlanState state, String level, String reason) {
    if (level.equals(PlanState.ROOT)) {
      return state.with(next -> next.ending = Optional.of("gave up: " + reason));
    }
    PlanState counted = PlanChange.counted(state);
    return counted
        .withItem(
            level,
            item ->
                item.sub(unfinishedDropped(item.sub().orElseThrow(), Set.of()))
                    .status(Status.FAILED, reason)
                    .settled(Status.FAILED, counted.sequence()))
        .triggered(
            Trigger.Kind.FAILED,
            state.above(level),
            "`" + PlanChange.name(state, level) + "` was given up: " + reason);
  }
}
