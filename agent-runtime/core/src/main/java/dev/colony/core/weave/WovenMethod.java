package dev.colony.core.weave;

import dev.colony.agent.author.Agent;
import dev.colony.agent.author.JoinPoint;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import net.bytebuddy.implementation.bind.annotation.AllArguments;
import net.bytebuddy.implementation.bind.annotation.FieldValue;
import net.bytebuddy.implementation.bind.annotation.RuntimeType;
import net.bytebuddy.implementation.bind.annotation.SuperCall;
import net.bytebuddy.implementation.bind.annotation.This;

/** What a woven method does; called by generated code only, which is why it is public. */
public final class WovenMethod {

  /** The field of a woven class that holds the agent of an instance. */
  static final String AGENT = "colony$agent";

  private final JoinPoint at;

  private WovenMethod(JoinPoint at) {
    this.at = at;
  }

  static WovenMethod of(Method method) {
    String type = HookableMethods.declaredBy(method).getSimpleName();
    return new WovenMethod(new JoinPoint(type + "." + method.getName(), method.getReturnType()));
  }

  /** Calls the method through the agent's hooks. */
  @RuntimeType
  public Object call(
      @FieldValue(AGENT) Agent agent,
      @This Object target,
      @SuperCall Callable<Object> method,
      @AllArguments Object[] arguments)
      throws Exception {
    return agent.hooks().call(at, agent, target, method, arguments);
  }
}
