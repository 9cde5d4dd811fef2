package dev.colony.code;

import dev.colony.testkit.FakeModel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** A sandbox for the tests of a class, and for each of them a model that writes cells. */
abstract class CodeFixture {

  static Sandbox sandbox;

  final FakeModel model = FakeModel.start();

  @BeforeAll
  static void open() {
    sandbox = SandboxTest.sandbox("cpu = 60s, time = 10m");
  }

  @AfterAll
  static void close() {
    sandbox.close();
  }

  @AfterEach
  void end() {
    model.close();
  }
}
