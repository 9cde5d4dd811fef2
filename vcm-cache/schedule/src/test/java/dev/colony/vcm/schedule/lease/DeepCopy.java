package dev.colony.vcm.schedule.lease;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Copies an object of the project with all that it reaches, so that a search can go on from one
 * state several times. Records, enums, boxed values and functions are taken as they are.
 */
final class DeepCopy {

  private static final Map<Class<?>, List<Field>> FIELDS = new ConcurrentHashMap<>();
  private static final Map<Class<?>, Constructor<?>> MAKERS = new ConcurrentHashMap<>();

  private final Map<Object, Object> copies = new IdentityHashMap<>();

  @SuppressWarnings("unchecked")
  static <T> T of(T original) {
    return (T) new DeepCopy().copy(original);
  }

  private Object copy(Object one) {
    if (one == null || shared(one.getClass())) {
      return one;
    }
    Object known = copies.get(one);
    if (known != null) {
      return known;
    }
    return switch (one) {
      case Optional<?> optional -> optional.map(this::copy);
      case Map<?, ?> map -> {
        Map<Object, Object> copy =
            switch (map) {
              case TreeMap<?, ?> sorted -> new TreeMap<>();
              case LinkedHashMap<?, ?> linked -> new LinkedHashMap<>();
              case HashMap<?, ?> hashed -> new HashMap<>();
              default -> throw new IllegalStateException("no copy of " + map.getClass());
            };
        copies.put(one, copy);
        map.forEach((key, value) -> copy.put(copy(key), copy(value)));
        yield copy;
      }
      case Collection<?> collection -> {
        Collection<Object> copy =
            switch (collection) {
              case ArrayList<?> list -> new ArrayList<>();
              case ArrayDeque<?> deque -> new ArrayDeque<>();
              case LinkedHashSet<?> linked -> new LinkedHashSet<>();
              case HashSet<?> hashed -> new HashSet<>();
              case TreeSet<?> sorted -> new TreeSet<>();
              default -> throw new IllegalStateException("no copy of " + collection.getClass());
            };
        copies.put(one, copy);
        collection.forEach(element -> copy.add(copy(element)));
        yield copy;
      }
      default -> one.getClass().isArray() ? array(one) : fields(one);
    };
  }

  private static boolean shared(Class<?> type) {
    return type.isRecord()
        || type.isEnum()
        || type.isHidden()
        || type.isSynthetic()
        || type == String.class
        || Number.class.isAssignableFrom(type)
        || type == Boolean.class
        || type.getName().startsWith("java.util.Optional") && type != Optional.class
        || java.util.Comparator.class.isAssignableFrom(type);
  }

  private Object array(Object one) {
    int length = Array.getLength(one);
    Object copy = Array.newInstance(one.getClass().getComponentType(), length);
    copies.put(one, copy);
    if (one.getClass().getComponentType().isPrimitive()) {
      System.arraycopy(one, 0, copy, 0, length);
    } else {
      for (int i = 0; i < length; i++) {
        Array.set(copy, i, copy(Array.get(one, i)));
      }
    }
    return copy;
  }

  private Object fields(Object one) {
    Class<?> type = one.getClass();
    if (!type.getName().startsWith("dev.colony.")) {
      throw new IllegalStateException("no copy of " + type);
    }
    try {
      Object copy = MAKERS.computeIfAbsent(type, DeepCopy::maker).newInstance();
      copies.put(one, copy);
      for (Field field : FIELDS.computeIfAbsent(type, DeepCopy::of)) {
        field.set(copy, copy(field.get(one)));
      }
      return copy;
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static Constructor<?> maker(Class<?> type) {
    try {
      // By its name: the compiler warns of the class, which is how serialization makes objects.
      Class<?> factory = Class.forName("sun.reflect.ReflectionFactory");
      Method making =
          factory.getMethod("newConstructorForSerialization", Class.class, Constructor.class);
      return (Constructor<?>)
          making.invoke(
              factory.getMethod("getReflectionFactory").invoke(null),
              type,
              Object.class.getDeclaredConstructor());
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static List<Field> of(Class<?> type) {
    List<Field> fields = new ArrayList<>();
    for (Class<?> part = type; part != Object.class; part = part.getSuperclass()) {
      for (Field field : part.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          field.setAccessible(true);
          fields.add(field);
        }
      }
    }
    return fields;
  }
}
