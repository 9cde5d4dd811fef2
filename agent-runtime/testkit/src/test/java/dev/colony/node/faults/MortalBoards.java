package dev.colony.node.faults;

import dev.colony.agent.fixture.GuardedBlackboards;
import dev.colony.blackboard.Blackboards;
import java.util.concurrent.CompletableFuture;

/** A blackboard that hears nothing from a process that is dead. */
final class MortalBoards {

  private MortalBoards() {}

  static Blackboards of(Life life, Blackboards boards) {
    return GuardedBlackboards.of(
        boards,
        (method, arguments, call) ->
            life.dead() && GuardedBlackboards.asks(method)
                ? new CompletableFuture<>()
                : call.call());
  }
}
