package dev.colony.blackboard;

import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.value.Text;
import dev.colony.blackboard.value.ValueMapper;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which Java types the values are of: what is written must be readable as the type of every pattern
 * that its key matches, see {@link dev.colony.blackboard.Entry#as}. Other keys take any value.
 *
 * <pre>{@code
 * ValueTypes.none().with("finding:*", Finding.class).with("count:*", Long.class)
 * }</pre>
 */
public final class ValueTypes implements ValidationPolicy {

  private record Rule(KeyGlob keys, Class<?> type) {}

  private final List<Rule> rules;

  private ValueTypes(List<Rule> rules) {
    this.rules = rules;
  }

  public static ValueTypes none() {
    return new ValueTypes(List.of());
  }

  /** These, and keys that match have values of that type. */
  public ValueTypes with(String keys, Class<?> type) {
    return new ValueTypes(
        Stream.concat(rules.stream(), Stream.of(new Rule(new KeyGlob(keys), type))).toList());
  }

  @Override
  public Optional<String> violation(Write write) {
    return rules.stream()
        .filter(rule -> rule.keys().matches(write.key()))
        .map(rule -> violation(write, rule.type()))
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static Optional<String> violation(Write write, Class<?> type) {
    if (write.value().isNull()) {
      return Optional.of("null is no " + type.getSimpleName());
    }
    try {
      ValueMapper.read(write.key(), write.value(), type);
      return Optional.empty();
    } catch (IllegalArgumentException unfit) {
      return Optional.of(Text.message(unfit.getMessage()));
    }
  }
}
