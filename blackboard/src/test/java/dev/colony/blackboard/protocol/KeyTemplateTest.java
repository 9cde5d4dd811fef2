package dev.colony.blackboard.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

class KeyTemplateTest {

  /** Templates of up to four parts, and as many values for them. */
  @Property
  void aKeyHasOneReading(
      @ForAll("separators") @Size(max = 4) List<String> separators,
      @ForAll("parts") @Size(4) List<String> values) {
    StringBuilder text = new StringBuilder("key");
    Map<String, String> parts = new HashMap<>();
    for (int i = 0; i < separators.size(); i++) {
      text.append(separators.get(i)).append("{p").append(i).append('}');
      parts.put("p" + i, values.get(i));
    }
    KeyTemplate template = KeyTemplate.of(text.toString());
    String key = template.format(parts);
    assertThat(template.parse(key)).contains(parts);
    assertThat(template.pattern().matches(key)).isTrue();
    assertThat(template.pattern(parts).pattern()).isEqualTo(key);
    parts.keySet().stream()
        .limit(1)
        .forEach(name -> {
          Map<String, String> other = new HashMap<>(Map.of(name, parts.get(name) + "~"));
          assertThat(template.pattern(Map.of(name, parts.get(name))).matches(key)).isTrue();
          assertThat(template.pattern(other).matches(key)).isFalse();
        });
  }

  @Example
  void whatTheTemplateDoesNotNameIsPassedOver() {
    KeyTemplate template = KeyTemplate.of("a:{id}");
    assertThat(template.format(Map.of("id", "1", "agent", "x"))).isEqualTo("a:1");
    assertThat(template.pattern(Map.of("agent", "x")).pattern()).isEqualTo("a:*");
    assertThat(template.names()).containsExactly("id");
  }

  @Example
  void fixedTextStandsForItself() {
    KeyTemplate template = KeyTemplate.of("a.b|$1\\:{id}");
    assertThat(template.format(Map.of("id", "1"))).isEqualTo("a.b|$1\\:1");
    assertThat(template.parse("a.b|$1\\:1")).contains(Map.of("id", "1"));
    assertThat(template.parse("axb|$1\\:1")).isEmpty();
  }

  @Example
  void missingAndInvalidPartsAreRefusedByName() {
    KeyTemplate template = KeyTemplate.of("a:{id}");
    assertThatThrownBy(() -> template.format(Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("id must be 1 to 128 characters");
    for (String bad : List.of("", "a:b", "*", "é", "x".repeat(129))) {
      assertThatThrownBy(() -> template.format(Map.of("id", bad))).hasMessageContaining("id must");
      assertThatThrownBy(() -> template.pattern(Map.of("id", bad))).hasMessageContaining("id must");
      assertThat(template.parse("a:" + bad)).isEmpty();
    }
  }

  @Example
  void templatesWhoseKeysWouldBeInvalidOrAmbiguousAreRefused() {
    List<String> bad =
        List.of("", "{a}{b}", "{a}-{b}", "a:{a}:{a}", "a:{A}", "a:{", "a:}", "*:{a}", "/{a}");
    for (String text : bad) {
      assertThatThrownBy(() -> KeyTemplate.of(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Provide
  Arbitrary<List<String>> separators() {
    return Arbitraries.of(":", "::", ":-", "a:b", "|").list();
  }

  @Provide
  Arbitrary<List<String>> parts() {
    return Arbitraries.strings().withChars("aZ0._~-").ofMinLength(1).ofMaxLength(6).list();
  }
}
