package dev.colony.node.resumption;

import dev.colony.agent.fixture.GuardedBlackboards;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Blackboards;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Boards of which one operation fails, as a test says: all behind it fail too, as those of a node
 * who has died.
 */
final class FailingBlackboards {

  private final Blackboards boards;
  private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);

  FailingBlackboards(Blackboards sound) {
    this.boards = GuardedBlackboards.of(sound, this::pass);
  }

  Blackboards boards() {
    return boards;
  }

  /**
   * @param operations that are carried out before the one that is not
   */
  void dieAfter(int operations) {
    left.set(operations);
  }

  void live() {
    left.set(Integer.MAX_VALUE);
  }

  private Object pass(Method method, Object[] arguments, Callable<Object> call) throws Exception {
    boolean counts =
        method.getDeclaringClass() == Blackboard.class && GuardedBlackboards.asks(method);
    return counts && left.getAndDecrement() <= 0
        ? CompletableFuture.failedStage(
            new BlackboardException(BlackboardException.Reason.UNREACHABLE, "dead"))
        : call.call();
  }
}
