package dev.colony.core.capability;

import dev.colony.agent.author.Agent;
import dev.colony.agent.author.JoinPoint;
import dev.colony.core.capability.Weaver.HookableMethods;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.modifier.FieldManifestation;
import net.bytebuddy.description.modifier.SyntheticState;
import net.bytebuddy.description.modifier.TypeManifestation;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.dynamic.scaffold.subclass.ConstructorStrategy;
import net.bytebuddy.implementation.FieldAccessor;
import net.bytebuddy.implementation.MethodCall;
import net.bytebuddy.implementation.MethodDelegation;
import net.bytebuddy.implementation.bind.annotation.AllArguments;
import net.bytebuddy.implementation.bind.annotation.FieldValue;
import net.bytebuddy.implementation.bind.annotation.RuntimeType;
import net.bytebuddy.implementation.bind.annotation.SuperCall;
import net.bytebuddy.implementation.bind.annotation.This;
import net.bytebuddy.matcher.ElementMatchers;

/** Generates the subclass of a class with hookable methods. */
public final class WovenClass {

  static final String SUFFIX = "$Woven";

  private static final Object GENERATING = new Object();

  private WovenClass() {}

  /**
   * The woven class of a class; the same one each time, however many threads ask at the same time.
   */
  static Class<?> of(Class<?> type) {
    synchronized (GENERATING) {
      try {
        return Class.forName(type.getName() + SUFFIX, false, type.getClassLoader());
      } catch (ClassNotFoundException notYet) {
        return generate(type);
      }
    }
  }

  private static <T> Class<? extends T> generate(Class<T> type) {
    DynamicType.Builder<T> woven =
        new ByteBuddy()
            .subclass(type, ConstructorStrategy.Default.NO_CONSTRUCTORS)
            .name(type.getName() + SUFFIX)
            .modifiers(
                Visibility.PACKAGE_PRIVATE, TypeManifestation.FINAL, SyntheticState.SYNTHETIC)
            .defineField(
                WovenMethod.AGENT, Agent.class, Visibility.PRIVATE, FieldManifestation.FINAL);
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      if (!Modifier.isPrivate(constructor.getModifiers())) {
        woven = constructor(woven, constructor);
      }
    }
    for (Method method : HookableMethods.of(type)) {
      woven =
          woven
              .method(ElementMatchers.is(method))
              .intercept(
                  MethodDelegation.withDefaultConfiguration()
                      .filter(ElementMatchers.named("call"))
                      .to(WovenMethod.of(method)));
    }
    try (DynamicType.Unloaded<T> made = woven.make()) {
      MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
      return made.load(type.getClassLoader(), ClassLoadingStrategy.UsingLookup.of(lookup))
          .getLoaded();
    } catch (IllegalAccessException closed) {
      throw new IllegalStateException(
          type.getName() + " cannot be woven: its module does not open its package", closed);
    }
  }

  /** A constructor that first keeps the agent, which the virtual machine allows before super(). */
  private static <T> DynamicType.Builder<T> constructor(
      DynamicType.Builder<T> woven, Constructor<?> constructor) {
    int[] behindAgent = IntStream.rangeClosed(1, constructor.getParameterCount()).toArray();
    return woven
        .defineConstructor(Visibility.PACKAGE_PRIVATE)
        .withParameters(
            MethodType.methodType(void.class, constructor.getParameterTypes())
                .insertParameterTypes(0, Agent.class)
                .parameterArray())
        .throwing(constructor.getExceptionTypes())
        .intercept(
            FieldAccessor.ofField(WovenMethod.AGENT)
                .setsArgumentAt(0)
                .andThen(MethodCall.invoke(constructor).onSuper().withArgument(behindAgent)));
  }

  /** What a woven method does; called by generated code only, which is why it is public. */
  public static final class WovenMethod {

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
}
