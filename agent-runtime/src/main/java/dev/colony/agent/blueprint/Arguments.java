package dev.colony.agent.blueprint;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.colony.agent.AgentException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/** A type's arguments as JSON and as the record that its constructor takes. */
final class Arguments {

  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(new Jdk8Module())
          .addModule(new JavaTimeModule())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private Arguments() {}

  static JsonNode toJson(Object args) {
    return MAPPER.valueToTree(args);
  }

  static <T> T construct(Class<T> type, JsonNode args, Object... injected) {
    Constructor<?> constructor = type.getDeclaredConstructors()[0];
    Object[] given =
        Arrays.stream(constructor.getParameterTypes())
            .map(wanted ->
                Arrays.stream(injected)
                    .filter(wanted::isInstance)
                    .findFirst()
                    .orElseGet(() -> MAPPER.convertValue(args, wanted)))
            .toArray();
    try {
      constructor.setAccessible(true);
      return type.cast(constructor.newInstance(given));
    } catch (InvocationTargetException refused) {
      throw new AgentException(refused.getCause().getMessage(), refused.getCause(), false);
    } catch (ReflectiveOperationException broken) {
      throw new AgentException("cannot make a " + type.getName(), broken, false);
    }
  }
}
