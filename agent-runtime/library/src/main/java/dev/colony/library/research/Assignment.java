package dev.colony.library.research;

import java.util.List;

/** What one analyst is asked: the question, and which of its pages to read. */
record Assignment(String question, List<String> pages) {}
