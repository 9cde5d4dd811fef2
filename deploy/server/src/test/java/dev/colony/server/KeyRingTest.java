package dev.colony.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.Principal.Role;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a file of keys says. */
class KeyRingTest {

  private static final Principal CI = new Principal("ci", "acme", Role.OPERATOR);

  @Test
  void aKeyIsFoundByItselfAlone() {
    String key = AccessKey.random();
    List<AccessKey> many =
        IntStream.range(0, 50)
            .mapToObj(i -> AccessKey.of(new Principal("k" + i, "acme", Role.VIEWER), "k" + i))
            .toList();
    KeyRing ring =
        new KeyRing(
            java.util.stream.Stream.concat(many.stream(), List.of(AccessKey.of(CI, key)).stream())
                .toList());
    assertThat(ring.holder(key)).contains(CI);
    assertThat(ring.holder("k0").map(Principal::name)).contains("k0");
    for (String other :
        List.of("", key + " ", key.substring(1), "k50", AccessKey.of(CI, key).sha256())) {
      assertThat(ring.holder(other)).as(other).isEmpty();
    }
    assertThat(new KeyRing(List.of()).holder(key)).isEmpty();
  }

  @Test
  void whatIsWrittenIsRead() {
    KeyRing ring =
        new KeyRing(
            List.of(
                AccessKey.of(CI, "one"),
                AccessKey.of(new Principal("root", "*", Role.ADMIN), "two")));
    assertThat(KeyRing.parse(ring.toJson().toString())).isEqualTo(ring);
    assertThat(ring.holder("two").map(Principal::everyTenant)).isEqualTo(Optional.of(true));
  }

  @Test
  void whatIsWrongIsSaidInOneLineWithoutTheDigest() {
    String digest = AccessKey.of(CI, "one").sha256();
    refused("", "{\"keys\"");
    refused("{", "no JSON at line 1");
    refused("[]", "{\"keys\"");
    refused("{\"keys\": {}}", "{\"keys\"");
    refused("{\"keys\": [], \"more\": 1}", "nothing else");
    refused(key("ci", "acme", "operator", null), "key 1 has no sha256");
    refused(
        key("ci", "acme", "boss", digest), "role boss, but must have viewer, operator or admin");
    refused(key("ci", "a b", "viewer", digest), "tenant must be");
    refused(key(" ", "acme", "viewer", digest), "name of a key");
    refused(key("ci", "acme", "viewer", "abc"), "sha256 of key ci must be 64");
    refused(key("local", "acme", "viewer", digest), "a key is not named local");
    String twice = key("ci", "acme", "viewer", digest).replace("]}", "");
    refused(
        twice + "," + key("ci", "acme", "viewer", digest).replace("{\"keys\": [", ""),
        "key ci stands there twice");
  }

  private static void refused(String json, String why) {
    assertThatThrownBy(() -> KeyRing.parse(json))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why)
        .message()
        .doesNotContain("\n")
        .doesNotContainPattern("[0-9a-f]{16}");
  }

  private static String key(String name, String tenant, String role, String digest) {
    String last = digest == null ? "" : ", \"sha256\": \"" + digest + "\"";
    return "{\"keys\": [{\"name\": \"%s\", \"tenant\": \"%s\", \"role\": \"%s\"%s}]}"
        .formatted(name, tenant, role, last);
  }
}
