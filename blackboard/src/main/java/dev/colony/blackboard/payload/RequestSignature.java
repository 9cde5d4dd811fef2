package dev.colony.blackboard.payload;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs requests to S3 by AWS Signature Version 4: "Authenticating Requests: Using the
 * Authorization Header" in Amazon's API reference of S3, with the payload in a single chunk.
 *
 * @param sessionToken of credentials that end
 */
record RequestSignature(
    String accessKey, String secretKey, Optional<String> sessionToken, String region) {

  private static final String ALGORITHM = "AWS4-HMAC-SHA256";
  private static final String SERVICE = "s3";
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("yyyyMMdd").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  /**
   * With the credentials of the environment, or of the JVM's properties before it, as the AWS SDK
   * for Java reads them.
   *
   * @throws IllegalArgumentException where there are none
   */
  static RequestSignature ofEnvironment(String region) {
    return new RequestSignature(
        needed("aws.accessKeyId", "AWS_ACCESS_KEY_ID"),
        needed("aws.secretAccessKey", "AWS_SECRET_ACCESS_KEY"),
        found("aws.sessionToken", "AWS_SESSION_TOKEN"),
        region);
  }

  private static String needed(String property, String variable) {
    return found(property, variable)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "colony.payloads.store is in S3, but %s is not set".formatted(variable)));
  }

  private static Optional<String> found(String property, String variable) {
    return Optional.ofNullable(System.getProperty(property))
        .or(() -> Optional.ofNullable(System.getenv(variable)))
        .filter(value -> !value.isBlank());
  }

  /**
   * All headers that a request is sent with, and {@code host}.
   *
   * @param path percent-encoded
   * @param query names and values, not encoded
   * @param headers that are signed too, by names in lower case; {@code host} among them
   * @param body SHA-256 of the body, in hexadecimal digits
   */
  SortedMap<String, String> signed(
      String method,
      String path,
      SortedMap<String, String> query,
      Map<String, String> headers,
      String body,
      Instant at) {
    String time = TIME.format(at);
    SortedMap<String, String> all = new TreeMap<>(headers);
    all.put("x-amz-content-sha256", body);
    all.put("x-amz-date", time);
    sessionToken.ifPresent(token -> all.put("x-amz-security-token", token));
    String names = String.join(";", all.keySet());
    String canonical =
        String.join(
            "\n",
            method,
            path,
            encoded(query),
            all.entrySet().stream()
                .map(header -> header.getKey() + ":" + header.getValue().strip() + "\n")
                .collect(Collectors.joining()),
            names,
            body);
    String day = DAY.format(at);
    String scope = String.join("/", day, region, SERVICE, "aws4_request");
    String toSign = String.join("\n", ALGORITHM, time, scope, sha256(utf8(canonical)));
    byte[] key = utf8("AWS4" + secretKey);
    for (String part : new String[] {day, region, SERVICE, "aws4_request"}) {
      key = hmac(key, part);
    }
    all.put(
        "authorization",
        "%s Credential=%s/%s,SignedHeaders=%s,Signature=%s"
            .formatted(
                ALGORITHM, accessKey, scope, names, HexFormat.of().formatHex(hmac(key, toSign))));
    return all;
  }

  /** A query as it is sent, in the order in which it is signed. */
  static String encoded(SortedMap<String, String> query) {
    return query.entrySet().stream()
        .map(one -> encoded(one.getKey(), false) + "=" + encoded(one.getValue(), false))
        .collect(Collectors.joining("&"));
  }

  /** Percent-encoded as Amazon's UriEncode does it. */
  static String encoded(String text, boolean path) {
    StringBuilder encoded = new StringBuilder();
    for (byte one : utf8(text)) {
      char letter = (char) one;
      boolean plain =
          letter >= 'a' && letter <= 'z'
              || letter >= 'A' && letter <= 'Z'
              || letter >= '0' && letter <= '9'
              || "-._~".indexOf(letter) >= 0
              || path && letter == '/';
      if (plain) {
        encoded.append(letter);
      } else {
        encoded.append('%').append(HexFormat.of().withUpperCase().toHexDigits(one));
      }
    }
    return encoded.toString();
  }

  static String sha256(byte[] bytes) {
    return HexFormat.of().formatHex(digest(bytes));
  }

  static byte[] digest(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(utf8(text));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("every Java platform has HmacSHA256", impossible);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return "signature of " + accessKey;
  }
}
