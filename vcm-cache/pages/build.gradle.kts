dependencies {
    api(project(":blackboard"))
    api(project(":vcm-cache:schedule"))
    api(libs.jtokkit)
    api(libs.lucene.core)
    api(libs.lucene.analysis.common)
    api(libs.jgit)
    testImplementation(project(path = ":blackboard", configuration = "testJar"))
    testImplementation(libs.logback.classic)
}
