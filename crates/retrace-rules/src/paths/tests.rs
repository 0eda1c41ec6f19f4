use super::*;

#[test]
fn a_path_that_is_not_known_whole_matches_always_never_or_perhaps() {
    for (pattern, path, expected) in [
        ("src/generated/**", "/w/src/generated/$f", Answer::Yes),
        ("src/generated/**", "/w/src/generated/*.ts", Answer::Yes),
        ("src/generated/**", "/w/src/generated/${f%.ts}.js", Answer::Yes),
        ("src/generated/**", "/w/src/generated/{}", Answer::Yes),
        ("src/generated/**", "/w/src/other/*.ts", Answer::No),
        ("src/generated/**", "/w/*.log", Answer::No),
        ("src/generated/**", "/w/src/*/a.ts", Answer::Unknown),
        ("src/generated/**", "/w/src/{}", Answer::Unknown),
        ("src/generated/**", "$f", Answer::Unknown),
        ("src/generated/**", "$(find . -name x)", Answer::Unknown),
        ("src/generated/**", "`ls`", Answer::Unknown),
        ("src/generated/**", "$DIR/a.ts", Answer::Unknown),
        ("/w/src/**", "/v/$f", Answer::No),
        (".env", "$DIR/.env", Answer::Yes),
        (".env", "$DIR/.env.example", Answer::No),
        (".env", "/w/*.log", Answer::No),
        (".env", "/w/*", Answer::No),
        (".env", "/w/.env*", Answer::Unknown),
        (".env", "$1", Answer::Unknown),
        ("*.ts", "/w/$f.ts", Answer::Yes),
        ("*.ts", "/w/$f.js", Answer::No),
        ("a/**/b", "/w/a/$x", Answer::Unknown),
        ("*.{ts,js}", "/w/$x.ts", Answer::Yes),
        (".env", "/w/.env", Answer::Yes),
        (".env", "/w/a$", Answer::No),
    ] {
        let paths = Paths::of(&[pattern.to_owned()]);
        assert_eq!(paths.written(path, Some("/w"), false), expected, "{pattern}: {path}");
    }
    let paths = Paths::of(&["src/generated/**".to_owned()]);
    assert_eq!(paths.written("/w/src/generated", Some("/w"), true), Answer::Yes);
    assert_eq!(paths.written("/w/src/generated", Some("/w"), false), Answer::No);
    assert_eq!(paths.written("/w/src/*", Some("/w"), true), Answer::Unknown);
}

#[test]
fn the_home_of_a_session_is_where_its_directory_says() {
    let home = Paths::of(&["~/.ssh/**".to_owned()]);
    assert!(home.matches("/home/dev/.ssh/id", Some("/home/dev/app")));
    assert!(home.matches("~/.ssh/id", Some("/w")));
    assert!(home.matches("/root/.ssh/id", Some("/root/app")));
    assert!(!home.matches("/home/other/.ssh/id", Some("/home/dev/app")));
    assert!(!home.matches("/home/dev/.ssh/id", Some("/w")));
    let whole = Paths::of(&["/Users/dev/.ssh/**".to_owned()]);
    assert!(whole.matches("~/.ssh/id", Some("/Users/dev")));
}
