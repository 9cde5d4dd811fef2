package dev.colony.agent.faults;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A blackboard that hears nothing from a process that is dead. */
final class MortalBoards {

  private MortalBoards() {}

  static Blackboards of(Life life, Blackboards boards) {
    return mortal(life, Blackboards.class, boards);
  }

  private static <T> T mortal(Life life, Class<T> port, T target) {
    return port.cast(
        Proxy.newProxyInstance(
            port.getClassLoader(),
            new Class<?>[] {port},
            (proxy, method, arguments) -> {
              if (life.dead() && method.getReturnType() == CompletionStage.class) {
                return new CompletableFuture<>();
              }
              try {
                Object result = method.invoke(target, arguments);
                return result instanceof Blackboard board
                    ? mortal(life, Blackboard.class, board)
                    : result;
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            }));
  }
}
