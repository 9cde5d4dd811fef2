package dev.colony.server.access;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;

/**
 * A key as the node knows it: whose it is, and a digest that the key cannot be found from. Keys are
 * 256 random bits, so that a plain digest is as good as a slow one.
 *
 * @param sha256 of the key's characters, 64 hexadecimal digits
 */
public record AccessKey(Principal principal, String sha256) {

  private static final int RANDOM_BYTES = 32;
  private static final String PREFIX = "colony_";

  public AccessKey {
    if (principal.name().equals(Principal.LOCAL.name())) {
      throw new IllegalArgumentException(
          "a key is not named %s, as the caller of a node without keys is: choose another name"
              .formatted(principal.name()));
    }
    if (!sha256.matches("[0-9a-f]{64}")) {
      throw new IllegalArgumentException(
          "sha256 of key %s must be 64 hexadecimal digits".formatted(principal.name()));
    }
  }

  /** A new key that no other caller has: 50 characters that need no escaping anywhere. */
  public static String random() {
    byte[] bytes = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(bytes);
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** What the node is to know of a key. */
  public static AccessKey of(Principal principal, String key) {
    return new AccessKey(principal, HexFormat.of().formatHex(digest(key)));
  }

  /** Takes as long for a wrong key as for the right one. */
  boolean matches(byte[] digest) {
    return MessageDigest.isEqual(HexFormat.of().parseHex(sha256), digest);
  }

  static byte[] digest(String key) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** As it stands in the file of keys. */
  public ObjectNode toJson() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("name", principal.name())
        .put("tenant", principal.tenant())
        .put("role", principal.role().name().toLowerCase(Locale.ROOT))
        .put("sha256", sha256);
  }
}
