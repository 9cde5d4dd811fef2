package dev.colony.node.entity;

import org.junit.jupiter.api.Tag;

/** The same with all texts. */
@Tag("faults")
class StoredTextsFuzzTest extends StoredTextFuzzTest {

  @Override
  int of(int all) {
    return all;
  }
}
