package dev.colony.node.runtime;

import dev.colony.agent.fixture.GuardedBlackboards;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Blackboards;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Blackboards whose next operations fail as if the store were away, as often as a test says. */
final class TroubledBlackboards {

  /** What never fails: a request was made before the trouble began. */
  private static final Set<String> SOUND = Set.of("send", "scopes");

  private final Blackboards boards;
  private final AtomicInteger failures = new AtomicInteger();

  TroubledBlackboards(Blackboards sound) {
    this.boards = GuardedBlackboards.of(sound, this::pass);
  }

  Blackboards boards() {
    return boards;
  }

  void failNext(int operations) {
    failures.set(operations);
  }

  private Object pass(Method method, Object[] arguments, Callable<Object> call) throws Exception {
    boolean mayFail = GuardedBlackboards.asks(method) && !SOUND.contains(method.getName());
    return mayFail && failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0
        ? CompletableFuture.failedStage(
            new BlackboardException(BlackboardException.Reason.UNREACHABLE, "away"))
        : call.call();
  }
}
