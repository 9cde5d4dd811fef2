package dev.colony.replica.lexical;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.miscellaneous.StemmerOverrideFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;

/**
 * Splits text into stems. An identifier yields itself and its parts, cut at case changes, digits
 * and punctuation. Thread-safe.
 */
final class Words {

  /** Takes a stem and where in the text its word stands. */
  @FunctionalInterface
  interface Sink {
    void accept(CharSequence stem, int start, int end);
  }

  private static final Analyzer REGULAR_STEMS = analyzer(PorterStemFilter::new);
  private static final StemmerOverrideFilter.StemmerOverrideMap IRREGULAR = irregular();
  private static final Analyzer STEMS =
      analyzer(words -> new PorterStemFilter(new StemmerOverrideFilter(words, IRREGULAR)));

  private Words() {}

  /** The stems of a text, in its order, repetitions kept. */
  static List<String> stems(String text) {
    List<String> stems = new ArrayList<>();
    scan(text, (stem, start, end) -> stems.add(stem.toString()));
    return stems;
  }

  /** Hands on the stems of a text, in its order; the sink must not keep the sequence. */
  static void scan(String text, Sink sink) {
    scan(STEMS, text, sink);
  }

  private static void scan(Analyzer analyzer, String text, Sink sink) {
    try (TokenStream stream = analyzer.tokenStream("", text)) {
      CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
      OffsetAttribute offset = stream.addAttribute(OffsetAttribute.class);
      stream.reset();
      while (stream.incrementToken()) {
        sink.accept(term, offset.startOffset(), offset.endOffset());
      }
      stream.end();
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot fail to be read", e);
    }
  }

  private static StemmerOverrideFilter.StemmerOverrideMap irregular() {
    StemmerOverrideFilter.Builder builder = new StemmerOverrideFilter.Builder();
    for (String line : Resources.lines("irregular.txt")) {
      String[] forms = line.split(" ");
      scan(REGULAR_STEMS, forms[1], (stem, start, end) -> builder.add(forms[0], stem.toString()));
    }
    try {
      return builder.build();
    } catch (IOException e) {
      throw new UncheckedIOException("a map in memory cannot fail to be built", e);
    }
  }

  private static Analyzer analyzer(UnaryOperator<TokenStream> stemmer) {
    return new Analyzer() {
      @Override
      protected TokenStreamComponents createComponents(String field) {
        Tokenizer source = new StandardTokenizer();
        TokenStream words = new LowerCaseFilter(new IdentifierFilter(source));
        return new TokenStreamComponents(source, stemmer.apply(words));
      }
    };
  }
}
