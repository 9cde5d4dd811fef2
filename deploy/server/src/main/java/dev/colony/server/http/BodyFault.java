package dev.colony.server.http;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import java.util.Optional;
import java.util.stream.Collectors;

/** What is wrong with a body, in the words of JSON: its reader speaks of classes. */
final class BodyFault {

  private BodyFault() {}

  /** One line, with the path of the field; empty where the reader's own words will do. */
  static Optional<String> words(Throwable failure) {
    for (Throwable one = failure; one != null; one = one.getCause()) {
      if (one instanceof UnrecognizedPropertyException unknown) {
        return Optional.of("there is no field " + path(unknown));
      }
      if (one instanceof MismatchedInputException wrong) {
        return Optional.of(where(wrong) + "must be " + kind(wrong));
      }
    }
    return Optional.empty();
  }

  private static String where(JsonMappingException wrong) {
    return wrong.getPath().isEmpty() ? "the body " : path(wrong) + " ";
  }

  private static String path(JsonMappingException wrong) {
    return wrong.getPath().stream()
        .map(
            step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : step.getFieldName())
        .collect(Collectors.joining("."));
  }

  private static String kind(MismatchedInputException wrong) {
    Class<?> type = wrong.getTargetType() == null ? Object.class : wrong.getTargetType();
    if (CharSequence.class.isAssignableFrom(type)) {
      return "text";
    }
    if (type == boolean.class || type == Boolean.class) {
      return "true or false";
    }
    if (type.isPrimitive() || Number.class.isAssignableFrom(type)) {
      return "a number";
    }
    return "of another kind; /v1/openapi.yaml says of which";
  }
}
