package dev.colony.server.http;

import dev.colony.server.Authenticator.AccessSettings;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** Tests of an API without keys that listens from before the first of them until after the last. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ServedApi {

  final ApiRig rig = new ApiRig();
  HttpApi api;
  ApiClient client;

  /** What it has beside the defaults of {@code colony.http}. */
  abstract Map<String, ?> settings();

  @BeforeAll
  void start() {
    api = rig.start(AccessSettings.OPEN, settings());
    client = ApiClient.of(api);
  }

  @AfterAll
  void end() {
    api.close();
    rig.close();
  }
}
