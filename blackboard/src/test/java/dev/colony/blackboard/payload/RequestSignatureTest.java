package dev.colony.blackboard.payload;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The examples of "Authenticating Requests: Using the Authorization Header" in Amazon's API. */
class RequestSignatureTest {

  private static final String NOTHING = RequestSignature.sha256(new byte[0]);
  private static final String HOST = "examplebucket.s3.amazonaws.com";
  private static final Instant AT = Instant.parse("2013-05-24T00:00:00Z");
  private static final RequestSignature SIGNATURE =
      new RequestSignature(
          "AKIAIOSFODNN7EXAMPLE",
          "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
          Optional.empty(),
          "us-east-1");

  @Test
  void getOfAPart() {
    assertThat(
            signed(
                "GET", "/test.txt", Map.of(), Map.of("host", HOST, "range", "bytes=0-9"), NOTHING))
        .containsEntry(
            "authorization",
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  }

  @Test
  void putOfAnObject() {
    String body = RequestSignature.sha256("Welcome to Amazon S3.".getBytes(StandardCharsets.UTF_8));
    assertThat(
            signed(
                    "PUT",
                    "/" + RequestSignature.encoded("test$file.text", true),
                    Map.of(),
                    Map.of(
                        "host", HOST,
                        "date", "Fri, 24 May 2013 00:00:00 GMT",
                        "x-amz-storage-class", "REDUCED_REDUNDANCY"),
                    body)
                .get("authorization"))
        .endsWith("Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
  }

  @Test
  void listOfABucket() {
    assertThat(
            signed(
                    "GET",
                    "/",
                    Map.of("max-keys", "2", "prefix", "J"),
                    Map.of("host", HOST),
                    NOTHING)
                .get("authorization"))
        .endsWith("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
  }

  @Test
  void aSessionTokenIsSentAndSigned() {
    RequestSignature ending =
        new RequestSignature("key", "secret", Optional.of("token"), "us-east-1");
    SortedMap<String, String> headers =
        ending.signed("GET", "/", new TreeMap<>(), Map.of("host", HOST), NOTHING, AT);
    assertThat(headers).containsEntry("x-amz-security-token", "token");
    assertThat(headers.get("authorization"))
        .contains("host;x-amz-content-sha256;x-amz-date;x-amz-security-token")
        .doesNotContain("secret");
    assertThat(ending.toString()).doesNotContain("secret").doesNotContain("token");
  }

  private static SortedMap<String, String> signed(
      String method,
      String path,
      Map<String, String> query,
      Map<String, String> headers,
      String body) {
    return SIGNATURE.signed(method, path, new TreeMap<>(query), headers, body, AT);
  }
}
