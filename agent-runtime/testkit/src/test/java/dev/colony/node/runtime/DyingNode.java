package dev.colony.node.runtime;

import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.GuardedBlackboards;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;

/**
 * A process of its own that runs agents on a Redis that outlives it, and dies on the spot when they
 * are about to do something at the blackboard. Says "up" when it is. Arguments: Redis URI, and what
 * it dies of: {@link Death}.
 */
final class DyingNode {

  /** The exit code of that death. */
  static final int DEAD = 42;

  enum Death {
    /** The agent has journaled that it accepted a run; the inbox does not know it. */
    ACCEPTING,
    /** The agent has journaled that it was woken; the inbox does not know it. */
    ACKNOWLEDGING,
    /** The agent is about to read what woke it. */
    READING,
    /** The run is journaled as ended; its result is not on the blackboard. */
    PUBLISHING,
    /** A suspended agent's condition holds; what wakes it is about to be stored. */
    WAKING,
    /** What wakes a suspended agent is stored; that it is woken is about to be noted. */
    NOTING,
    /** A suspended agent has journaled that it goes on; the inbox does not know it. */
    RESUMING,
    /** The same of one that a signal or a write has had go on. */
    TELLING,
    NEVER;

    /** Those of a node that evaluates a condition. */
    static EnumSet<Death> ofEvaluators() {
      return EnumSet.of(WAKING, NOTING, RESUMING, TELLING);
    }

    private static volatile boolean met;

    boolean comes(Method method, Object[] arguments) {
      boolean meets =
          method.getName().equals("send") && Arrays.toString(arguments).contains("key=met:");
      met |= meets;
      return switch (this) {
        case WAKING -> meets;
        case NOTING -> met && method.getName().equals("transaction");
        case RESUMING ->
            acknowledges(method, arguments, InboxMessage.Request.class)
                && Arrays.toString(arguments).contains("key=met:");
        case TELLING ->
            acknowledges(method, arguments, InboxMessage.Request.class)
                    && Arrays.toString(arguments).contains("key=custom:")
                || acknowledges(method, arguments, InboxMessage.Wake.class)
                    && Arrays.toString(arguments).contains("until:");
        case ACCEPTING -> acknowledges(method, arguments, InboxMessage.Request.class);
        case ACKNOWLEDGING -> acknowledges(method, arguments, InboxMessage.Wake.class);
        case READING -> method.getName().equals("history");
        case PUBLISHING ->
            method.getName().equals("write")
                && Arrays.toString(arguments).contains("key=result:run:woken");
        case NEVER -> false;
      };
    }

    private static boolean acknowledges(
        Method method, Object[] arguments, Class<? extends InboxMessage> kind) {
      return method.getDeclaringClass() == Inbox.class
          && method.getName().equals("acknowledge")
          && ((Collection<?>) arguments[1]).stream().anyMatch(kind::isInstance);
    }
  }

  private DyingNode() {}

  public static void main(String[] args) {
    Death death = Death.valueOf(args[1]);
    Blackboards boards =
        new RedisBlackboards(
            new RedisConnections(args[0], Duration.ofSeconds(20)), BlackboardSettings.DEFAULTS);
    TestTypes types = new TestTypes();
    Blackboards guarded =
        GuardedBlackboards.of(
            boards,
            (method, arguments, call) -> {
              if (death.comes(method, arguments)) {
                Runtime.getRuntime().halt(DEAD);
              }
              return call.call();
            });
    LocalNode.of(guarded, types)
        .journal(args[0])
        .bounds(
            Bounds.resumption(Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofSeconds(1)))
        .start();
    System.out.println("up");
  }
}
